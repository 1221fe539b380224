import type { Selectable } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'

/** What the operator says of an expression. */
export type Entry = Selectable<Tables['entries']>
export type AuditRow = Selectable<Tables['audit']>

export async function allEntries(db: Executor): Promise<Entry[]> {
  return db.selectFrom('entries').selectAll().orderBy('created_at', 'desc').orderBy('entry').execute()
}

/** Says something of an expression, in place of what was said before. */
export async function putEntry(db: Executor, entry: Entry): Promise<void> {
  const { entry: _, ...rest } = entry
  await db
    .insertInto('entries')
    .values(entry)
    .onConflict((conflict) => conflict.column('entry').doUpdateSet(rest))
    .execute()
}

/** False when there is no such entry. */
export async function deleteEntry(db: Executor, entry: string): Promise<boolean> {
  const result = await db.deleteFrom('entries').where('entry', '=', entry).executeTakeFirst()
  return result.numDeletedRows === 1n
}

export async function insertAudit(db: Executor, row: Omit<AuditRow, 'id'>): Promise<void> {
  await db.insertInto('audit').values(row).execute()
}

/** The newest changes, newest first. */
export async function newestAudit(db: Executor, limit: number): Promise<AuditRow[]> {
  return db.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit).execute()
}

/** What changes the operator's own entries. */
export type EntryAction = 'block' | 'allow' | 'unblock' | 'forget'

const entryActions: EntryAction[] = ['block', 'allow', 'unblock', 'forget']

/** A number that every change of the operator's entries has made larger; 0 before the first. */
export async function entriesRevision(db: Executor): Promise<number> {
  const query = db.selectFrom('audit').select((each) => each.fn.max('id').as('newest'))
  const row = await query.where('action', 'in', entryActions).executeTakeFirst()
  return row?.newest ?? 0
}

/** A report on its way into the store. */
export interface NewReport {
  linkId: number
  reason: string
  details: string | null
  at: number
}

/** What one report said beyond its reason. */
export interface Note {
  reason: string
  details: string
  at: number
}

/** Notes that are kept of one link; the newest stay. */
const MAX_NOTES = 10

/**
 * Counts a report. In a transaction: the first statement holds the row, so that the second reads what it changes.
 */
export async function countReport(db: Executor, { linkId, reason, details, at }: NewReport): Promise<void> {
  const row = { link_id: linkId, count: 1, reasons: '{}', notes: '[]', first_at: at, last_at: at }
  const held = await db
    .insertInto('reports')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('link_id').doUpdateSet((each) => ({ count: each('reports.count', '+', 1), last_at: at })),
    )
    .returning(['reasons', 'notes'])
    .executeTakeFirstOrThrow()
  const reasons = JSON.parse(held.reasons) as Record<string, number>
  const notes = JSON.parse(held.notes) as Note[]
  reasons[reason] = (reasons[reason] ?? 0) + 1
  if (details !== null) notes.unshift({ reason, details, at })
  await db
    .updateTable('reports')
    .set({ reasons: JSON.stringify(reasons), notes: JSON.stringify(notes.slice(0, MAX_NOTES)) })
    .where('link_id', '=', linkId)
    .execute()
}

/** What was reported of one link. */
export interface Reported {
  code: string
  count: number
  reasons: Record<string, number>
  notes: Note[]
  first_at: number
  last_at: number
}

/** The reported links that are still up: the most often reported first, of equals the last reported. */
export async function openReports(db: Executor, limit: number): Promise<Reported[]> {
  const rows = await db
    .selectFrom('reports')
    .innerJoin('links', 'links.id', 'reports.link_id')
    .select(['links.code', 'reports.count', 'reasons', 'notes', 'first_at', 'last_at'])
    .where('links.removed_at', 'is', null)
    .orderBy('reports.count', 'desc')
    .orderBy('last_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    ...row,
    reasons: JSON.parse(row.reasons) as Reported['reasons'],
    notes: JSON.parse(row.notes) as Note[],
  }))
}

/** False when nothing was reported of the link. */
export async function deleteReport(db: Executor, linkId: number): Promise<boolean> {
  const result = await db.deleteFrom('reports').where('link_id', '=', linkId).executeTakeFirst()
  return result.numDeletedRows === 1n
}

/** How far a sweep has come. */
export interface SweepState {
  /** The state of the lists that it matches against. */
  lists: string
  /** The last link that was matched. */
  position: number
  finished: boolean
}

const SWEEP = 'links'

export async function readSweep(db: Executor): Promise<SweepState | undefined> {
  const row = await db.selectFrom('sweeps').selectAll().where('name', '=', SWEEP).executeTakeFirst()
  return row && { lists: row.lists, position: row.position, finished: row.finished === 1 }
}

export async function writeSweep(db: Executor, { lists, position, finished }: SweepState): Promise<void> {
  const values = { lists, position, finished: finished ? 1 : 0 }
  await db
    .insertInto('sweeps')
    .values({ name: SWEEP, ...values })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
    .execute()
}
