import type { DatabaseSync } from 'node:sqlite'
import { linkIdsAfter } from '../scans/purge.ts'

/** What the links' database holds. */
export interface LinkFacts {
  schema: number
  links: number
  codes: number
  /** The name by which scans know the store; null where it has none yet. */
  instance: string | null
}

/** What the scans' database holds. */
export interface ScanFacts {
  schema: number
  /** Links that have scans. */
  scanned: number
  scans: number
  /** Scans that are there as rows of their own; `SCAN_RETENTION` leaves only counts of the others. */
  rows: number
}

export function readLinkFacts(db: DatabaseSync): LinkFacts {
  // Every code that was ever given; older versions have those of links among the others.
  const codes = `(select count(*) from codes) +
    (select count(*) from links where code_key not in (select code_key from codes))`
  const query = `select (select max(number) from migrations) as "schema",
    (select count(*) from links) as links, ${codes} as codes`
  const instance = has(db, 'instance') ? db.prepare('select id from instance').get()?.['id'] : undefined
  return { ...db.prepare(query).get(), instance: instance ?? null } as unknown as LinkFacts
}

/** Older versions have fewer tables. */
function has(db: DatabaseSync, table: string): boolean {
  return db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table) !== undefined
}

export function readScanFacts(db: DatabaseSync): ScanFacts {
  const { user_version: schema } = db.prepare('pragma user_version').get() as { user_version: number }
  const query = `select count(*) as scanned, coalesce(sum(humans + bots), 0) as scans,
    (select count(*) from scans) as rows from totals`
  return { ...(db.prepare(query).get() as unknown as Omit<ScanFacts, 'schema'>), schema }
}

/** Links that are asked for together. */
const STEP = 1000

/** The links that have scans and are not there, by whether it is known that they were deleted. */
export function orphansOf(scans: DatabaseSync, links: DatabaseSync): { deleted: number[]; unknown: number[] } {
  const table = ['deletions', 'purges'].find((name) => has(links, name))
  const isDeleted = table === undefined ? '0' : `exists (select 1 from ${table} where link_id = value)`
  const find = links.prepare(
    `select value as id, ${isDeleted} as isDeleted
     from json_each(?) where not exists (select 1 from links where id = value)`,
  )
  const missing: { id: number; isDeleted: number }[] = []
  for (let last = 0; ;) {
    const ids = linkIdsAfter({ db: scans }, last, STEP)
    if (ids.length === 0) break
    missing.push(...(find.all(JSON.stringify(ids)) as unknown as typeof missing))
    last = ids.at(-1) ?? Number.POSITIVE_INFINITY
  }
  const idsThatAre = (deleted: number) => missing.filter((row) => row.isDeleted === deleted).map(({ id }) => id)
  return { deleted: idsThatAre(1), unknown: idsThatAre(0) }
}

/** How far a journal file has reached the statistics, in bytes. */
export function markOf(scans: DatabaseSync, journal: string): number {
  const row = scans.prepare('select position from marks where journal = ?').get(journal)
  return (row as { position: number } | undefined)?.position ?? 0
}
