import { sql, type Selectable, type Transaction } from '#kysely'
import type { Executor, Locking } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { codeKey } from './code.ts'
import type { Link, Reported, Suspension, Warning } from './link.ts'
import { ownToken } from './rotation-store.ts'

type LinkRow = Selectable<Tables['links']>
type LinkColumns = Omit<
  LinkRow,
  'code_key' | 'token_hash' | 'next_token_hash' | 'rotated_at' | 'rotated_through' | 'deleted_at'
>

/** The columns of a `Link`. */
export const linkColumns = [
  'links.id',
  'links.code',
  'links.kind',
  'links.target',
  'links.payload',
  'links.title',
  'links.campaign',
  'links.utm',
  'links.rules',
  'links.placements',
  'links.active',
  'links.revision',
  'links.created_at',
  'links.updated_at',
  'links.removed_at',
  'links.removed_reason',
  'links.removed_source',
  'links.removed_expression',
  'links.password',
  'links.warned_at',
  'links.warned_reason',
  'links.reported_at',
  'links.reported_networks',
  'links.reported_reason',
  'links.rekeyed_at',
] as const

const lengthOf = (column: string) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`

/** The bytes of a link's fields that may be long. */
export const bytesOfLink = sql<number>`${lengthOf('target')} + ${lengthOf('payload')} + ${lengthOf('rules')} + ${lengthOf('placements')} + ${lengthOf('utm')}`

/** The link of this code; 'gone' when it was deleted; undefined when there never was one. */
export async function findByCode(db: Executor, codeKey: string): Promise<Link | 'gone' | undefined> {
  const row = await db.selectFrom('links').select(linkColumns).where('code_key', '=', codeKey).executeTakeFirst()
  if (row !== undefined) return toLink(row)
  const retired = await db.selectFrom('codes').selectAll().where('code_key', '=', codeKey).executeTakeFirst()
  return retired && 'gone'
}

export async function findById(db: Executor, id: number): Promise<Link | undefined> {
  const query = db.selectFrom('links').select(linkColumns).where('id', '=', id).where('deleted_at', 'is', null)
  const row = await query.executeTakeFirst()
  return row && toLink(row)
}

/** The link whose own token has this hash and works, or undefined. */
export async function findByToken(db: Executor, tokenHash: string, now: number): Promise<Link | undefined> {
  const row = await db
    .selectFrom('links')
    .select(linkColumns)
    .where(ownToken([tokenHash], now))
    .executeTakeFirst()
  return row && toLink(row)
}

/** The links whose own tokens have these hashes and work, by hash. */
export async function findByTokens(db: Executor, tokenHashes: string[], now: number): Promise<Map<string, Link>> {
  const query = db.selectFrom('links').select([...linkColumns, 'token_hash'])
  const rows = await query.where(ownToken(tokenHashes, now)).execute()
  return new Map(rows.map((row) => [row.token_hash, toLink(row)]))
}

/** The links with these codes that were not deleted, by their keys. */
export async function findByCodes(db: Executor, codeKeys: string[]): Promise<Map<string, Link>> {
  if (codeKeys.length === 0) return new Map()
  const query = db.selectFrom('links').select([...linkColumns, 'code_key'])
  const rows = await query.where('code_key', 'in', codeKeys).where('deleted_at', 'is', null).execute()
  return new Map(rows.map((row) => [row.code_key, toLink(row)]))
}

/** The ids and codes of the links whose own tokens have these hashes and work, by hash. */
export async function findIdsByTokens(db: Executor, tokenHashes: string[], now: number): Promise<Map<string, LinkId>> {
  const query = db.selectFrom('links').select(['token_hash', 'id', 'code'])
  const rows = await query.where(ownToken(tokenHashes, now)).execute()
  return new Map(rows.map(({ token_hash: hash, id, code }) => [hash, { id, code }]))
}

/** What identifies a link. */
export type LinkId = Pick<Link, 'id' | 'code'>

/** Whether a link's own token has this hash and works. */
export async function hasToken(db: Executor, tokenHash: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('links')
    .select('id')
    .where(ownToken([tokenHash], now))
    .executeTakeFirst()
  return row !== undefined
}

/** Bounds the number of different statements that are cached: there is one for each number of rows. */
const ROWS_PER_STATEMENT = 100

export function* chunks<T>(items: T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += ROWS_PER_STATEMENT) yield items.slice(at, at + ROWS_PER_STATEMENT)
}

/** Writes a link's next revision. @returns false when the link was changed or deleted since it was read, or its token no longer works */
export async function updateLink(
  db: Executor,
  link: Link,
  { tokenHash, now }: { tokenHash: string; now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('links')
    .set({ ...contentColumns(link), revision: link.revision, updated_at: link.updatedAt })
    .where('id', '=', link.id)
    .where('revision', '=', link.revision - 1)
    .where(ownToken([tokenHash], now))
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Deletes a link for good, also one that could be brought back; its code stays taken. @returns false when the link was changed or deleted since it was read */
export async function deleteLinkRow(transaction: Transaction<Tables>, link: Link): Promise<boolean> {
  const deleted = await transaction
    .deleteFrom('links')
    .where('id', '=', link.id)
    .where('revision', '=', link.revision)
    .returning('id')
    .executeTakeFirst()
  if (deleted === undefined) return false
  const taken = transaction.insertInto('codes').values({ code_key: codeKey(link.code) })
  await taken.onConflict((conflict) => conflict.column('code_key').doNothing()).execute()
  return true
}

/** Suspends or reinstates a link. @returns false when the link was changed or deleted since it was read */
export async function setSuspension(db: Executor, link: Link, suspension: Suspension | null): Promise<boolean> {
  return (await setSuspensions(db, [link], suspension)).has(link.id)
}

/** The same for a few links, by one statement. @returns the ids of those that were not changed or deleted since they were read */
export async function setSuspensions(
  db: Executor,
  links: readonly Link[],
  suspension: Suspension | null,
): Promise<Set<number>> {
  const rows = await db
    .updateTable('links')
    .set((of) => ({
      removed_at: suspension?.at ?? null,
      removed_reason: suspension?.reason ?? null,
      removed_source: suspension?.source ?? null,
      removed_expression: suspension?.expression ?? null,
      revision: of('revision', '+', 1),
    }))
    .where((of) => of.or(links.map(({ id, revision }) => of.and({ id, revision }))))
    .returning('id')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Warns visitors of a link, or no longer. @returns false when the link was changed or deleted since it was read */
export async function setWarning(db: Executor, link: Link, warning: Warning | null): Promise<boolean> {
  const result = await db
    .updateTable('links')
    .set({ warned_at: warning?.at ?? null, warned_reason: warning?.reason ?? null, revision: link.revision + 1 })
    .where('id', '=', link.id)
    .where('revision', '=', link.revision)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/**
 * Notes what the owner of a link is told of its reports. It is no change of the link, whose revision stays.
 * @returns false when he was told after `before`
 */
export async function setReported(db: Executor, linkId: number, reported: Reported, before: number): Promise<boolean> {
  const { at, networks, reason } = reported
  const result = await db
    .updateTable('links')
    .set({ reported_at: at, reported_networks: networks, reported_reason: reason })
    .where('id', '=', linkId)
    .where((each) => each.or([each('reported_at', 'is', null), each('reported_at', '<=', before)]))
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Whether the owner of a link was not told after `before`, and another transaction has its row locked; else this one has. */
export async function isLockedNotReported(
  db: Executor,
  unlocked: Locking,
  linkId: number,
  before: number,
): Promise<boolean> {
  const row = db
    .selectFrom('links')
    .select('id')
    .where('id', '=', linkId)
    .where((each) => each.or([each('reported_at', 'is', null), each('reported_at', '<=', before)]))
  if ((await unlocked(row).executeTakeFirst()) !== undefined) return false
  return (await row.executeTakeFirst()) !== undefined
}

/** The owner of a link is told of no reports any more. */
export async function clearReported(db: Executor, linkId: number): Promise<void> {
  const none = { reported_at: null, reported_networks: null, reported_reason: null }
  await db.updateTable('links').set(none).where('id', '=', linkId).execute()
}

/** A part of the links. */
export interface LinksPart<Place> {
  links: Link[]
  /** After which the next part begins; undefined at the end. */
  next: Place | undefined
}

/** The links of one part: strangers decide how large each is. The first is read whatever its size. */
const [PART_LINKS, PART_BYTES] = [500, 1024 * 1024]

/** The next links that are not suspended, by ID; also deleted ones that can be brought back, so that no listed one is. */
export async function findActiveAfter(db: Executor, id: number): Promise<LinksPart<number>> {
  const active = db.selectFrom('links').where('removed_at', 'is', null).where('id', '>', id).orderBy('id')
  const keys = await active
    .select(['id', bytesOfLink.as('bytes')])
    .limit(PART_LINKS)
    .execute()
  const count = countOfPart(keys)
  const links = (await active.select(linkColumns).limit(count).execute()).map(toLink)
  return { links, next: count < keys.length || count === PART_LINKS ? links.at(-1)?.id : undefined }
}

/** The place of a suspended link among all: its time, and among those of one time its ID. */
export interface SuspendedPlace {
  at: number
  id: number
}

/** The next links that a ruling or a list has suspended, by time. */
export async function findSuspendedByRuling(
  db: Executor,
  { at, id }: SuspendedPlace,
): Promise<LinksPart<SuspendedPlace>> {
  const suspended = db
    .selectFrom('links')
    // The bound of the index, and then the order within one millisecond.
    .where('removed_at', '>=', at)
    .where((row) => row.or([row('removed_at', '>', at), row('id', '>', id)]))
    .where('removed_expression', 'is not', null)
    .orderBy('removed_at')
    .orderBy('id')
  const keys = await suspended
    .select(['id', bytesOfLink.as('bytes')])
    .limit(PART_LINKS)
    .execute()
  const count = countOfPart(keys)
  const links = (await suspended.select(linkColumns).limit(count).execute()).map(toLink)
  const last = count < keys.length || count === PART_LINKS ? links.at(-1) : undefined
  return { links, next: last && { at: last.suspension?.at ?? 0, id: last.id } }
}

/** How many of these links make one part. */
function countOfPart(keys: { bytes: number }[]): number {
  let bytes = 0
  const end = keys.findIndex((key, at) => (bytes += key.bytes) > PART_BYTES && at > 0)
  return end === -1 ? keys.length : end
}

/** The same of these ids. */
export async function findActive(db: Executor, ids: number[]): Promise<Link[]> {
  const query = db.selectFrom('links').select(linkColumns).where('id', 'in', ids).where('removed_at', 'is', null)
  return (await query.orderBy('id').execute()).map(toLink)
}

export function contentColumns(link: Omit<Link, 'id' | 'suspension' | 'warning' | 'reported' | 'rekeyedAt'>) {
  return {
    target: link.target,
    payload: JSON.stringify(link.payload),
    title: link.title,
    campaign: link.campaign,
    utm: JSON.stringify(link.utm),
    rules: link.rules.length === 0 ? null : JSON.stringify(link.rules),
    placements: link.placements.length === 0 ? null : JSON.stringify(link.placements),
    password: link.password,
    active: link.active ? 1 : 0,
  }
}

export function toLink(row: LinkColumns): Link {
  return {
    id: row.id,
    code: row.code,
    kind: row.kind,
    target: row.target,
    payload: JSON.parse(row.payload) as Link['payload'],
    title: row.title,
    campaign: row.campaign,
    utm: JSON.parse(row.utm) as Link['utm'],
    rules: row.rules === null ? [] : (JSON.parse(row.rules) as Link['rules']),
    placements: row.placements === null ? [] : (JSON.parse(row.placements) as Link['placements']),
    password: row.password as Link['password'],
    active: row.active === 1,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    suspension: toSuspension(row),
    warning: row.warned_at === null ? null : { at: row.warned_at, reason: row.warned_reason ?? '' },
    reported: toReported(row),
    rekeyedAt: row.rekeyed_at,
  }
}

function toReported(row: Pick<LinkRow, `reported_${'at' | 'networks' | 'reason'}`>): Reported | null {
  const { reported_at: at, reported_networks: networks, reported_reason: reason } = row
  return at === null ? null : { at, networks: networks ?? 0, reason: reason ?? '' }
}

function toSuspension(row: Pick<LinkRow, `removed_${'at' | 'reason' | 'source' | 'expression'}`>): Suspension | null {
  if (row.removed_at === null) return null
  const source = row.removed_source as Suspension['source']
  return { at: row.removed_at, reason: row.removed_reason ?? '', source, expression: row.removed_expression }
}
