import type { Executor } from '../db/database.ts'
import { yieldEvery } from '../lib/yield-every.ts'
import type { AsOf } from '../scans/statistics/as-of.ts'
import type { BriefTotals } from '../scans/statistics/totals.ts'
import {
  findMemberKeys,
  findMembersById,
  findSearchedMembers,
  type Member,
  type MemberConditions,
  type MemberKey,
  type SearchedMember,
} from './listing-store.ts'
import { comparePlaces, createRanking, placeOf, type Place, type Sort } from './ranking.ts'
import type { Counting } from './totals.ts'

/** What one statement reads, and compares: with SQLite, the event loop waits for it. A search reads kilobytes of each. */
const KEYS_PER_READ = 250
const SEARCHED_PER_READ = 100
/** How long titles are compared in a turn, in milliseconds: those of some scripts take a hundred times as long as others. */
const SLICE_MS = 5

/** Which links of a collection are listed, and in which order. */
export interface ListQuery extends MemberConditions {
  /** A part of the code, title, campaign, target, or a text of the kind's own fields, in lower case. */
  text: string | undefined
  sort: Sort
  order: 'asc' | 'desc'
  limit: number
  /** The last link of the page before. */
  after: Place | undefined
}

const NO_SCANS: BriefTotals = { scans: 0, humans: 0, last_scan_at: null }

/** A link of a list with its counts. */
export interface ListedMember extends Member {
  totals: BriefTotals
}

/** A part of a list. */
export interface ListPage extends AsOf {
  links: ListedMember[]
  /** The last link, if there are further ones. */
  next: Place | undefined
}

/** What lists are read from. */
export interface ListDeps {
  db: { read: Executor }
  now: () => number
}

/** Reads a page of the links of a collection. Each is as it was when it was read. */
export async function listMembers(
  deps: ListDeps,
  counting: Counting,
  collectionId: string,
  query: ListQuery,
): Promise<ListPage> {
  const asOf = await counting.foldedAsOf()
  const { shown, next } = await findShown(deps, counting, collectionId, query)
  await counting.turn()
  const members = await findMembersById(deps.db.read, shown)
  const present = shown.flatMap((id) => members.get(id) ?? [])
  const totals = await counting.totalsOf(present.map(({ id }) => id))
  return { links: present.map((member, at) => ({ ...member, totals: totals[at] ?? NO_SCANS })), next, ...asOf }
}

/** The codes of all links of a collection that a list has on its pages, in no order. */
export async function listCodes(
  deps: ListDeps,
  { turn }: Pick<Counting, 'turn'>,
  collectionId: string,
  query: ListQuery,
): Promise<string[]> {
  const codes: string[] = []
  for await (const keys of readKeys(deps, turn, collectionId, query)) codes.push(...keys.map(({ code }) => code))
  return codes
}

/** The ids of the links of a page, in their order. */
async function findShown(
  deps: ListDeps,
  counting: Counting,
  collectionId: string,
  query: ListQuery,
): Promise<{ shown: number[]; next: Place | undefined }> {
  const { sort, order, limit, after } = query
  const compare = order === 'asc' ? comparePlaces : (one: Place, other: Place) => comparePlaces(other, one)
  // One more than a page has tells whether there are others.
  const ranking = createRanking(limit + 1, compare)
  const rank = (place: Place) => (after === undefined || compare(after, place) < 0) && ranking.add(place)
  const scanned: number[] = []
  const pause = yieldEvery(SLICE_MS, counting.turn)
  for await (const keys of readKeys(deps, counting.turn, collectionId, query))
    for (const key of keys) {
      if (sort === 'scans') scanned.push(key.id)
      else rank(placeOf(key, sort))
      await pause()
    }
  const totals = scanned.length === 0 ? [] : await counting.totalsOf(scanned)
  for (const [at, id] of scanned.entries()) rank({ value: totals[at]?.scans ?? 0, id })
  const shown = ranking.first.slice(0, limit)
  return { shown: shown.map(({ id }) => id), next: ranking.first.length > limit ? shown.at(-1) : undefined }
}

/** The keys of all links of a collection that meet the conditions, a bounded number at a time; visits have the loop in between. */
export async function* readKeys(
  deps: Pick<ListDeps, 'db' | 'now'>,
  turn: Counting['turn'],
  collectionId: string,
  { kind, campaign, state, text }: MemberConditions & { text?: string | undefined },
): AsyncGenerator<MemberKey[]> {
  const conditions = { kind, campaign, state }
  const limit = text === undefined ? KEYS_PER_READ : SEARCHED_PER_READ
  const now = deps.now()
  let after = -1
  for (;;) {
    await turn()
    const part = { collectionId, after, limit, now }
    const keys =
      text === undefined
        ? await findMemberKeys(deps.db.read, part, conditions)
        : await findSearchedMembers(deps.db.read, part, conditions)
    yield text === undefined ? keys : (keys as SearchedMember[]).filter((member) => hasText(member, text))
    const last = keys.at(-1)
    if (last === undefined || keys.length < limit) return
    after = last.id
  }
}

function hasText({ code, title, campaign, target, payload }: SearchedMember, text: string): boolean {
  return [code, title, campaign, target, ...textsOf(payload)].some((each) => each?.toLowerCase().includes(text))
}

/** Every text in the kind's own fields; names of fields are none. */
function textsOf(payload: string | null): string[] {
  const texts: string[] = []
  const collect = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value)
    else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) collect(each)
  }
  if (payload !== null && payload !== '{}') collect(JSON.parse(payload))
  return texts
}
