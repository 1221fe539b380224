import { lockTransaction, type PostgresSession, type Query } from '../../db/postgres/session.ts'
import { dateOfDay, dayOf, startOfDay } from '../calendar.ts'
import type { FoldedScan, Scan } from '../scan.ts'
import { numbers } from './sql.ts'

// The keys that visitors had on a UTC day, and the day's salt, are in unlogged tables of a schema of their own: they are not in
// the write-ahead log, and not in a dump without the schema. Dropping the tables destroys them (docs/privacy.md).

/** How long the tables of a past day wait for a node that has not folded its scans of that day. */
const GRACE_MS = 600_000

/** The keys of visitors, by day. */
export interface VisitorDays {
  /** Creates the tables that these scans need. */
  prepare: (scans: readonly Scan[]) => Promise<void>
  /** To be called when a table was missing: another node has dropped it. */
  clearCache: () => void
  /** Flags the first scans of visitors on a day, in a transaction. */
  flag: (query: Query, scans: readonly Scan[]) => Promise<FoldedScan[]>
  /** Drops the tables of the days that are over, by the clock of PostgreSQL. */
  dropPast: () => Promise<void>
}

export function openVisitorDays(session: PostgresSession): VisitorDays {
  const known = new Set<number>()
  return {
    async prepare(scans) {
      for (const day of new Set(scans.map(({ at }) => dayOf(at)))) {
        if (known.has(day)) continue
        await createTable(session, `keys_${suffixOf(day)}`, 'link_id bigint, key bigint, primary key (link_id, key)')
        known.add(day)
      }
    },
    clearCache: () => known.clear(),
    async flag(query, scans) {
      const firsts = new Set<Scan>()
      for (const [day, ofDay] of Map.groupBy(scans, ({ at }) => dayOf(at))) await flagDay(query, day, ofDay, firsts)
      return scans.map((scan) => ({ ...scan, first: firsts.has(scan) }))
    },
    async dropPast() {
      const past = await findPast(session.query)
      for (const name of past) await session.query(`drop table if exists quirl_visitors.${name}`)
      if (past.length > 0) known.clear()
    },
  }
}

async function flagDay(query: Query, day: number, scans: Scan[], firsts: Set<Scan>): Promise<void> {
  const firstByKey = new Map<string, Scan>()
  for (const scan of scans) {
    const name = `${scan.linkId}:${scan.visitor}`
    if (scan.visitor !== null && !firstByKey.has(name)) firstByKey.set(name, scan)
  }
  const seen = [...firstByKey.values()]
  // In order, so that two nodes never wait for each other.
  const inserted = await query<{ link_id: number; key: number }>(
    `insert into quirl_visitors.keys_${suffixOf(day)}
     select * from unnest($1::bigint[], $2::bigint[]) order by 1, 2 on conflict do nothing returning link_id, key`,
    [numbers(seen.map(({ linkId }) => linkId)), numbers(seen.map(({ visitor }) => visitor))],
  )
  for (const { link_id: linkId, key } of inserted) {
    const scan = firstByKey.get(`${linkId}:${key}`)
    if (scan !== undefined) firsts.add(scan)
  }
}

/** Creates an unlogged table, unless another node has. */
export async function createTable(session: PostgresSession, name: string, columns: string): Promise<void> {
  await session.transaction(async (query) => {
    await lockTransaction(query, 'visitor days')
    await query(`create unlogged table if not exists quirl_visitors.${name} (${columns})`)
  })
}

/** The digits of a day in the names of tables. */
export function suffixOf(day: number): string {
  return dateOfDay(day).replaceAll('-', '')
}

/** The tables of days that are over and folded by every node, or over for so long that a node that has not is late. */
async function findPast(query: Query): Promise<string[]> {
  const [clock] = await query<{ now: number; folded: number | null }>(
    `select (extract(epoch from clock_timestamp()) * 1000)::bigint as now,
       (select (extract(epoch from min(folded_until)) * 1000)::bigint from quirl_scans.folds) as folded`,
  )
  if (clock === undefined) return []
  const until = Math.max(clock.now - GRACE_MS, Math.min(clock.now, clock.folded ?? 0))
  const rows = await query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'quirl_visitors'",
  )
  return rows.map(({ name }) => name).filter((name) => isOver(name, until))
}

function isOver(name: string, until: number): boolean {
  const [, year, month, date] = /^(?:keys|salt)_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? []
  if (year === undefined) return false
  const day = dayOf(Date.UTC(Number(year), Number(month) - 1, Number(date)))
  return startOfDay(day + 1) <= until
}
