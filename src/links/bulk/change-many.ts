import type { Transaction } from '#kysely'
import type { Tables } from '../../db/schema.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { inTurnOfAll } from '../../lib/in-turn.ts'
import { yieldEvery } from '../../lib/yield-every.ts'
import { commitChange, isPause, nextRevision, requireMatch, runChange } from '../change.ts'
import { refundFailed } from '../../lib/charged.ts'
import type { DesignDeps } from '../check-design.ts'
import type { Client } from '../client.ts'
import type { LinkDeps } from '../deps.ts'
import { changeBytes, changedFields, unitsOf } from '../history/history.ts'
import { entityTag, type Link } from '../link.ts'
import { changesDesign, checkChangedDesigns, withChanged, withPresent, type DesignChange } from './changed-designs.ts'
import { linksOfRows, missingLinkOf, type LinkRow, type RowNaming } from './row-links.ts'
import { noneOf, rowResults, type RowResult } from './row-results.ts'
import { noteScreening, type ScreenAgain } from '../screened.ts'
import { findByToken } from '../store.ts'
import { findByAnyToken } from '../token-look-up.ts'
import type { OnTrimmedIn } from '../url-policy.ts'
import type { LinkWebhooks } from '../webhook.ts'

/** What a change of many links needs of the rest of the program. */
export interface ManyDeps
  extends DesignDeps, Pick<LinkDeps, 'db' | 'now' | 'owns' | 'screen' | 'screenedBy' | 'invalidate' | 'inTurn'> {
  webhooks: Pick<LinkWebhooks, 'onChange'>
}

/** Options of a change of many links. */
export interface ManyOptions extends RowNaming {
  /** Change all rows or none. */
  atomic: boolean
  /** Only validate the rows. */
  dryRun: boolean
  /** The token of the collection whose looks the rows may name. */
  collection?: string | undefined
  /** Throws the problem of a row that has members which are not those of its link's kind, if it is to be refused for them. */
  requireKnown: (index: number, kind: string) => void
  onTrimmedIn?: OnTrimmedIn | undefined
}

/** The result of a row that names a link and is valid. */
export interface ChangedLink {
  code: string
  short_url: string
  /** The entity tag of its revision, for `if_match`. */
  etag: string
  /** False when the link was already as the row wants it. */
  changed: boolean
}

/** The result of a valid row in a dry run. */
export interface ChangeableLink {
  valid: true
  code: string
  /** The entity tag of the revision that was compared, for `if_match`. */
  etag: string
  /** The names of the fields that would change. */
  fields: string[]
}

/** The response to a change of many links: a result for each row, in their order. */
export interface ManyResult {
  changed: number
  unchanged: number
  failed: number
  results: RowResult<ChangedLink | ChangeableLink>[]
}

/** A valid row: its link as it was read, and its next revision; the same when nothing changes. */
interface Plan extends LinkRow {
  next: Link
  /** Absent when the row has none. */
  design?: DesignChange | undefined
  /** Bytes of what it stores; 0 when it changes nothing. */
  bytes: number
}

type Outcome = Plan | Problem

/** How long other requests may wait while rows are validated and written, in milliseconds. */
const SLICE_MS = 5

/**
 * Changes the link of each valid row, in one transaction; each row is validated as a single change is. The client is charged for
 * all changes before the first is written.
 * @throws {Problem} 400 when no row is valid, or one is invalid and the request is atomic, with the result of each row among
 * its members, 429 when the quota is used up: then no link was changed
 */
export async function changeLinks(
  deps: ManyDeps,
  rows: unknown[],
  client: Client,
  options: ManyOptions,
): Promise<ManyResult> {
  const { atomic, dryRun, collection, requireKnown, through, onTrimmedIn } = options
  const outcomes: Outcome[] = []
  const screenAgain = noteScreening(deps)
  const pause = yieldEvery(SLICE_MS)
  for await (const row of linksOfRows(deps, rows, options)) {
    const index = outcomes.length
    const reading = { ...deps, onTrimmed: onTrimmedIn?.(index) }
    outcomes.push(row instanceof Problem ? row : plan(reading, row, (kind) => requireKnown(index, kind)))
    await pause()
  }
  const designs = await checkChangedDesigns(deps, outcomes, client, through ?? collection)
  for (const [at, design] of designs.entries()) {
    outcomes[at] = withDesign(deps, outcomes[at] as Outcome, design)
    await pause()
  }
  requireValid(outcomes, atomic && !dryRun)
  if (dryRun) return dryRunResult(outcomes)
  const changes = [...outcomes.entries()].filter(isChange).map(([, change]) => change)
  const units = changes.reduce((sum, { bytes }) => sum + unitsOf(bytes), 0)
  await refundFailed(
    () => client.charge('changes', units),
    async (chargeOnce) => {
      if (units > 0) await chargeOnce()
      const stored = changes.filter(({ body }) => !isPause(body))
      if (stored.length > 0) await client.chargeRoom(() => stored.reduce((sum, { bytes }) => sum + bytes, 0))
      await commit(deps, outcomes, { client, atomic, through, screenAgain })
      requireValid(outcomes, atomic)
    },
  )
  return toResult(outcomes, client.origin)
}

/** Fields of a single change that take more than a look at them. A row with one of these fails. */
const SINGLE_FIELDS = ['password', 'webhook']

function plan(deps: ManyDeps, row: LinkRow & Pick<Plan, 'design'>, requireKnown?: (kind: string) => void): Outcome {
  const { body, link, design } = row
  try {
    requireKnown?.(link.kind)
    const single = SINGLE_FIELDS.filter((name) => body[name] !== undefined)
    if (single.length > 0) {
      throw invalidRequest(single.map((name) => ({ pointer: `/${name}`, detail: 'can only be changed by PUT' })))
    }
    const { if_match: ifMatch } = body
    if (ifMatch !== undefined && typeof ifMatch !== 'string') {
      throw invalidRequest([{ pointer: '/if_match', detail: 'must be a string' }])
    }
    requireMatch(link, ifMatch)
    const next = nextRevision(deps, link, body, {
      isOther: design !== undefined && changesDesign(design),
    })
    const bytes = next === link ? 0 : changeBytes(withPresent(link, design), withChanged(next, design))
    return { ...row, next, bytes }
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** The outcome of a row once its design was checked. */
function withDesign(deps: ManyDeps, outcome: Outcome, design: DesignChange | Problem | undefined): Outcome {
  if (outcome instanceof Problem || design === undefined) return outcome
  return design instanceof Problem ? design : plan(deps, { ...outcome, design })
}

/** Who changes links, and whether all of them or none. */
interface Writing extends Pick<ManyOptions, 'atomic' | 'through'> {
  client: Client
  screenAgain: ScreenAgain
}

/** Writes every change among the outcomes, and replaces those of links that were changed since they were read. */
async function commit(deps: ManyDeps, outcomes: Outcome[], writing: Writing): Promise<void> {
  const left = await writeOnce(deps, outcomes, [...outcomes.entries()].filter(isChange), writing)
  const ids = left.map(([, { link }]) => link.id)
  // Single changes of these links wait now: whoever makes them all the time would have this start over again and again.
  await inTurnOfAll(deps.inTurn, ids, async () => {
    for (let pending = left; pending.length > 0;) pending = await writeOnce(deps, outcomes, pending, writing)
  })
}

/** @returns what is to be written again */
async function writeOnce(
  deps: ManyDeps,
  outcomes: Outcome[],
  pending: Entry<Plan>[],
  writing: Writing,
): Promise<Entry<Plan>[]> {
  const { committed, conflicts } = await write(deps, pending, writing)
  for (const [, { link }] of committed) deps.invalidate(link.code)
  const pause = yieldEvery(SLICE_MS)
  for (const [at, stale] of conflicts) {
    outcomes[at] = await planAgain(deps, stale, writing.through)
    await pause()
  }
  requireValid(outcomes, writing.atomic)
  const remaining = writing.atomic && conflicts.length > 0 ? pending : conflicts
  return remaining.map(([at]): Entry => [at, outcomes[at] as Outcome]).filter(isChange)
}

/** An outcome with the index of its row. */
type Entry<T = Outcome> = [at: number, outcome: T]

function isChange(entry: Entry): entry is Entry<Plan> {
  const [, outcome] = entry
  return !(outcome instanceof Problem) && outcome.next !== outcome.link
}

/** Optimistic locking, as for a single change: the newer revision is validated and changed. */
async function planAgain(
  deps: ManyDeps,
  { body, credential, link, design }: Plan,
  through: string | undefined,
): Promise<Outcome> {
  const newer = await findByAnyToken(deps, credential, (hash) => findByToken(deps.db.read, hash, deps.now()))
  if (newer === undefined) return missingLinkOf(through)
  // A change of the design increases the revision, so that the link must be read before it.
  const present = design && { ...design, present: await deps.designs.of(link.id) }
  return plan(deps, { body, credential, link: newer, design: present })
}

/** Rolls an atomic request back. */
class Conflict extends Error {}

/** Writes changes in one transaction, except those of links that were changed in the meantime; when atomic, all or none. */
async function write(
  deps: ManyDeps,
  changes: Entry<Plan>[],
  { client, atomic, screenAgain }: Writing,
): Promise<{ committed: Entry<Plan>[]; conflicts: Entry<Plan>[] }> {
  // In one order, so that two requests never wait for each other's rows.
  const ordered = changes.toSorted(([, a], [, b]) => a.link.id - b.link.id)
  const conflicts: Entry<Plan>[] = []
  const committed: Entry<Plan>[] = []
  try {
    const arePauses = ordered.every(([, { body }]) => isPause(body))
    await runChange(deps.db, arePauses, async (transaction) => {
      const pause = yieldEvery(SLICE_MS)
      // An attempt that was rolled back has committed none.
      for (const list of [conflicts, committed]) list.length = 0
      for (const change of ordered) {
        // What was blocked meanwhile is validated again, as what was changed meanwhile.
        const isAllowed = screenAgain(change[1].next) === undefined
        const isWritten = isAllowed && (await writeChange(deps, transaction, change[1], client))
        ;(isWritten ? committed : conflicts).push(change)
        await pause()
      }
      if (atomic && conflicts.length > 0) throw new Conflict()
    })
    return { committed, conflicts }
  } catch (error) {
    if (error instanceof Conflict) return { committed: [], conflicts }
    throw error
  }
}

/** @returns false when the link was changed or deleted since it was read */
async function writeChange(
  deps: ManyDeps,
  transaction: Transaction<Tables>,
  { link, next, design, credential }: Plan,
  { holder }: Client,
): Promise<boolean> {
  const [before, after] = [withPresent(link, design), withChanged(next, design)]
  if (!(await commitChange(deps, transaction, before, after, { holder, credential }))) return false
  if (design !== undefined && changesDesign(design)) await deps.designs.save(transaction, link.id, design.checked)
  return true
}

/** @throws {Problem} 400 when all rows have failed, or one and the request is atomic */
function requireValid(outcomes: Outcome[], atomic: boolean): void {
  const failed = outcomes.filter((outcome) => outcome instanceof Problem).length
  if (failed < outcomes.length && !(atomic && failed > 0)) return
  throw noneOf('nothing_changed', outcomes, (problems) => ({ changed: 0, unchanged: 0, ...rowResults(problems) }))
}

function toResult(outcomes: Outcome[], origin: string): ManyResult {
  const rows = outcomes.map((outcome): ChangedLink | Problem => {
    if (outcome instanceof Problem) return outcome
    const { link, next } = outcome
    const short_url = `${origin}/${next.code}`
    return { code: next.code, short_url, etag: entityTag(next), changed: next !== link }
  })
  const changed = rows.filter((row) => !(row instanceof Problem) && row.changed).length
  const { failed, results } = rowResults(rows)
  return { changed, unchanged: rows.length - failed - changed, failed, results }
}

function dryRunResult(outcomes: Outcome[]): ManyResult {
  const rows = outcomes.map((outcome): ChangeableLink | Problem => {
    if (outcome instanceof Problem) return outcome
    const { link, next, design } = outcome
    const fields = next === link ? [] : changedFields(withPresent(link, design), withChanged(next, design))
    return { valid: true, code: link.code, etag: entityTag(link), fields }
  })
  return { changed: 0, unchanged: 0, ...rowResults(rows) }
}
