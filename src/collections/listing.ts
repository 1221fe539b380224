import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Executor } from '../db/database.ts'
import type { StatedTotals, Totals } from '../links/link.ts'
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

/** What one statement reads: with SQLite, the event loop waits for it. A search reads kilobytes of each. */
const KEYS_PER_READ = 1000
const SEARCHED_PER_READ = 100

/** Until when scans are counted, if some are missing. */
export type AsOf = Pick<StatedTotals, 'as_of'>

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

/** A link of a list with its counts. */
export interface ListedMember extends Member {
  totals: Totals
}

/** A part of a list. */
export interface ListPage {
  links: ListedMember[]
  /** The last link, if there are further ones. */
  next: Place | undefined
  as_of?: string
}

/** What lists are read from. */
export interface ListDeps {
  db: { read: Executor }
  /** Waits until what was scanned before is counted, 2 seconds at most. @returns until when scans are counted, if some are missing */
  foldedAsOf: () => Promise<AsOf>
  /** The totals of links, in their order. */
  totals: (linkIds: number[]) => Promise<Totals[]>
  now: () => number
}

/** Reads a page of the links of a collection. Each is as it was when it was read. */
export async function listMembers(deps: ListDeps, collectionId: string, query: ListQuery): Promise<ListPage> {
  const { sort, order, limit, after } = query
  const asOf = await deps.foldedAsOf()
  const compare = order === 'asc' ? comparePlaces : (one: Place, other: Place) => comparePlaces(other, one)
  // One more than a page has tells whether there are others.
  const ranking = createRanking(limit + 1, compare)
  for await (const keys of readKeys(deps, collectionId, query)) {
    const scansOf = await scansOfKeys(deps, keys, sort)
    for (const place of keys.map((key) => placeOf(key, sort, scansOf)))
      if (after === undefined || compare(after, place) < 0) ranking.add(place)
  }
  const shown = ranking.first.slice(0, limit)
  const links = await withTotals(
    deps,
    shown.map(({ id }) => id),
  )
  return { links, next: ranking.first.length > limit ? shown.at(-1) : undefined, ...asOf }
}

/** The keys of all links of a collection that meet the conditions, a bounded number at a time; visits have the loop in between. */
export async function* readKeys(
  deps: Pick<ListDeps, 'db' | 'now'>,
  collectionId: string,
  { kind, campaign, state, text }: MemberConditions & { text?: string | undefined },
): AsyncGenerator<MemberKey[]> {
  const conditions = { kind, campaign, state }
  const limit = text === undefined ? KEYS_PER_READ : SEARCHED_PER_READ
  const now = deps.now()
  let after = -1
  for (;;) {
    const part = { collectionId, after, limit, now }
    const keys =
      text === undefined
        ? await findMemberKeys(deps.db.read, part, conditions)
        : await findSearchedMembers(deps.db.read, part, conditions)
    yield text === undefined ? keys : (keys as SearchedMember[]).filter((member) => hasText(member, text))
    const last = keys.at(-1)
    if (last === undefined || keys.length < limit) return
    after = last.id
    await yieldToLoop()
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

async function scansOfKeys({ totals }: ListDeps, keys: MemberKey[], sort: Sort): Promise<(id: number) => number> {
  if (sort !== 'scans') return () => 0
  const read = await totals(keys.map(({ id }) => id))
  const scans = new Map(keys.map(({ id }, at) => [id, read[at]?.scans ?? 0]))
  return (id) => scans.get(id) ?? 0
}

/** The links with these ids that still exist, in this order. */
async function withTotals({ db, totals }: ListDeps, ids: number[]): Promise<ListedMember[]> {
  const members = await findMembersById(db.read, ids)
  const present = ids.flatMap((id) => members.get(id) ?? [])
  const read = present.length === 0 ? [] : await totals(present.map(({ id }) => id))
  return present.flatMap((member, at) => {
    const own = read[at]
    return own === undefined ? [] : [{ ...member, totals: own }]
  })
}
