import type { Selectable } from '#kysely'
import type { Executor, Locking } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { deleteReporters } from './reporter-store.ts'

/** A block or allow ruling of the operator. */
export interface Ruling {
  /** The hosts and URLs that it matches: `host/`, `host/path/` or `host/path?query`. */
  expression: string
  verdict: 'block' | 'allow'
  reason: string
  /** Whether a legal order requires it. */
  isLegal: boolean
  /** Milliseconds since 1970, UTC. */
  createdAt: number
}

export type AuditRow = Selectable<Tables['audit']>

/** All rulings, the newest first. */
export async function listRulings(db: Executor): Promise<Ruling[]> {
  const rows = await db.selectFrom('rules').selectAll().orderBy('created_at', 'desc').orderBy('expression').execute()
  return rows.map((row) => ({
    expression: row.expression,
    verdict: row.verdict as Ruling['verdict'],
    reason: row.reason,
    isLegal: row.legal === 1,
    createdAt: row.created_at,
  }))
}

/** Inserts a ruling, or replaces the one for its expression. */
export async function upsertRuling(
  db: Executor,
  { expression, verdict, reason, isLegal, createdAt }: Ruling,
): Promise<void> {
  const values = { verdict, reason, legal: isLegal ? 1 : 0, created_at: createdAt }
  await db
    .insertInto('rules')
    .values({ expression, ...values })
    .onConflict((conflict) => conflict.column('expression').doUpdateSet(values))
    .execute()
}

/** Returns false when there is no such ruling. */
export async function deleteRuling(db: Executor, expression: string): Promise<boolean> {
  const result = await db.deleteFrom('rules').where('expression', '=', expression).executeTakeFirst()
  return result.numDeletedRows === 1n
}

export async function insertAudit(db: Executor, ...rows: Omit<AuditRow, 'id'>[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('audit').values(rows).execute()
}

/** The newest entries of the audit log, newest first; with `before`, those before an entry. */
export async function newestAudit(db: Executor, limit: number, before?: number): Promise<AuditRow[]> {
  const query = db.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit)
  return (before === undefined ? query : query.where('id', '<', before)).execute()
}

/** The audit actions that change rulings. */
const ruleActions = ['block', 'allow', 'unblock', 'forget']

/** A number that increases with every change of the rulings; 0 before the first. */
export async function readRulingsRevision(db: Executor): Promise<number> {
  const query = db.selectFrom('audit').select((each) => each.fn.max('id').as('newest'))
  const row = await query.where('action', 'in', ruleActions).executeTakeFirst()
  return row?.newest ?? 0
}

/** A report to be stored. */
export interface NewReport {
  linkId: number
  reason: string
  at: number
}

/** The details of one report. */
export interface Note {
  reason: string
  details: string
  at: number
}

/** The number of stored notes per link, the newest ones. */
const MAX_NOTES = 10

/**
 * Counts a report. Call it in a transaction: the first statement locks the row for the second.
 * @returns how often each reason was given
 */
export async function countReport(db: Executor, { linkId, reason, at }: NewReport): Promise<Record<string, number>> {
  const row = { link_id: linkId, count: 1, reasons: '{}', notes: '[]', first_at: at, last_at: at }
  const locked = await db
    .insertInto('reports')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('link_id').doUpdateSet((each) => ({ count: each('reports.count', '+', 1), last_at: at })),
    )
    .returning('reasons')
    .executeTakeFirstOrThrow()
  const reasons = JSON.parse(locked.reasons) as Record<string, number>
  reasons[reason] = (reasons[reason] ?? 0) + 1
  await db
    .updateTable('reports')
    .set({ reasons: JSON.stringify(reasons) })
    .where('link_id', '=', linkId)
    .execute()
  return reasons
}

/**
 * Stores the details of a report, in the transaction that has counted it.
 * @param isAgain whether its network has reported the link before: then it takes no other one's place
 */
export async function addNote(db: Executor, linkId: number, note: Note, isAgain: boolean): Promise<void> {
  const query = db.selectFrom('reports').select('notes').where('link_id', '=', linkId)
  const notes = JSON.parse((await query.executeTakeFirstOrThrow()).notes) as Note[]
  if (isAgain && notes.length >= MAX_NOTES) return
  await db
    .updateTable('reports')
    .set({ notes: JSON.stringify([note, ...notes].slice(0, MAX_NOTES)) })
    .where('link_id', '=', linkId)
    .execute()
}

/** The reports of one link. */
export interface LinkReports {
  code: string
  count: number
  /** From how many networks in the last 30 days. */
  networks: number
  /** When its owner was told that many people report it; null unless that is so. */
  told_at: number | null
  /** When the operator has put a warning before it; null unless there is one. */
  warned_at: number | null
  reasons: Record<string, number>
  notes: Note[]
  first_at: number
  last_at: number
}

/**
 * The reported links that are not suspended: those that most people have reported first, then the last reported.
 * @param first the first day of which reporters count
 */
export async function openReports(db: Executor, first: string, limit: number): Promise<LinkReports[]> {
  const rows = await db
    .selectFrom('reports')
    .innerJoin('links', 'links.id', 'reports.link_id')
    .select(['links.code', 'links.reported_at as told_at', 'links.warned_at'])
    .select(['reports.count', 'reasons', 'notes', 'first_at', 'last_at'])
    .select((each) =>
      each
        .selectFrom('reporters')
        .select(({ fn }) => fn.countAll<number>().as('networks'))
        .whereRef('reporters.link_id', '=', 'reports.link_id')
        .where('reporters.day', '>=', first)
        .as('networks'),
    )
    .where('links.removed_at', 'is', null)
    .where('links.deleted_at', 'is', null)
    .orderBy('networks', 'desc')
    .orderBy('reports.count', 'desc')
    .orderBy('last_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    ...row,
    networks: row.networks ?? 0,
    reasons: JSON.parse(row.reasons) as LinkReports['reasons'],
    notes: JSON.parse(row.notes) as Note[],
  }))
}

/** How many links that many people have reported are neither suspended nor warned of: they wait for the operator. */
export async function countUnhandled(db: Executor): Promise<number> {
  const row = await db
    .selectFrom('reports')
    .innerJoin('links', 'links.id', 'reports.link_id')
    .select(({ fn }) => fn.countAll<number>().as('links'))
    .where('links.reported_at', 'is not', null)
    .where('links.removed_at', 'is', null)
    .where('links.warned_at', 'is', null)
    .where('links.deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return row.links
}

/** Notes that operator and owner are to be told of the reports of a link, unless that is noted: later ones put it off no further. */
export async function noteUntold(db: Executor, linkId: number, at: number): Promise<void> {
  const untold = db.updateTable('reports').set({ untold_at: at }).where('untold_at', 'is', null)
  await untold.where('link_id', '=', linkId).execute()
}

export async function clearUntold(db: Executor, linkId: number): Promise<void> {
  await db.updateTable('reports').set({ untold_at: null }).where('link_id', '=', linkId).execute()
}

export async function isAnyUntold(db: Executor): Promise<boolean> {
  const query = db.selectFrom('reports').select('link_id').where('untold_at', 'is not', null)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** A link of whose reports operator and owner are to be told. */
export interface Untold {
  linkId: number
  at: number
  reasons: Record<string, number>
}

/**
 * Those that are noted longest. Blocked links wait until they are not.
 * @param select what of them that is: those that no other transaction has locked, or, in milliseconds since 1970, those noted before
 */
export async function findUntold(
  db: Executor,
  select: { unlocked: Locking } | { before: number },
  limit: number,
): Promise<Untold[]> {
  const noted = db
    .selectFrom('reports')
    .innerJoin('links', 'links.id', 'reports.link_id')
    .select(['reports.link_id', 'reports.untold_at', 'reports.reasons'])
    .where('reports.untold_at', 'is not', null)
    .where('links.removed_at', 'is', null)
    .where('links.deleted_at', 'is', null)
    .orderBy('reports.untold_at')
    .limit(limit)
  const rows = await (
    'unlocked' in select ? select.unlocked(noted) : noted.where('reports.untold_at', '<', select.before)
  ).execute()
  return rows.map(({ link_id: linkId, untold_at: at, reasons }) => {
    return { linkId, at: at ?? 0, reasons: JSON.parse(reasons) as Record<string, number> }
  })
}

/** Returns false when the link has no reports. */
export async function deleteReport(db: Executor, linkId: number): Promise<boolean> {
  await deleteReporters(db, linkId)
  const result = await db.deleteFrom('reports').where('link_id', '=', linkId).executeTakeFirst()
  return result.numDeletedRows === 1n
}
