import type { DatabaseSync } from 'node:sqlite'
import { collectionsQuery, NEWEST_TABLE, type CollectionsSummary } from './collections-store.ts'
import { linkIdsAfter } from '../scans/sqlite/purge.ts'

/** The contents of `links.db`. */
export interface LinksSummary {
  schema: number
  links: number
  codes: number
  /** Links that are deleted and can be brought back; absent in backups of older versions. */
  deleted?: number
  /** The id of the store, which `scans.db` has too; null in data of older versions. */
  instance: string | null
}

/** The contents of `scans.db`. */
export interface ScansSummary {
  schema: number
  /** Links that have scans. */
  scanned: number
  scans: number
  /** Raw scans; of others `SCAN_RETENTION` leaves only counts. */
  rows: number
}

export function summarizeLinks(db: DatabaseSync): LinksSummary {
  // Links that can be brought back have their code in `codes`, and a hidden key of their own (links/deleted-store.ts).
  // Counts every code that was ever assigned; older versions have the codes of links in `codes` too.
  const codes = `(select count(*) from codes) +
    (select count(*) from links where code_key not like 'deleted:%' and code_key not in (select code_key from codes))`
  const query = `select (select max(number) from migrations) as "schema",
    (select count(*) from links where code_key not like 'deleted:%') as links, ${codes} as codes,
    (select count(*) from links where code_key like 'deleted:%') as deleted`
  const instance = has(db, 'instance') ? db.prepare('select id from instance').get()?.['id'] : undefined
  return { ...db.prepare(query).get(), instance: instance ?? null } as unknown as LinksSummary
}

/** Older versions have fewer tables. */
function has(db: DatabaseSync, table: string): boolean {
  return db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table) !== undefined
}

/** What there is of collections; undefined in data of older versions. */
export function summarizeCollections(db: DatabaseSync): CollectionsSummary | undefined {
  if (!has(db, NEWEST_TABLE)) return undefined
  return db.prepare(collectionsQuery).get() as CollectionsSummary | undefined
}

export function summarizeScans(db: DatabaseSync): ScansSummary {
  const { user_version: schema } = db.prepare('pragma user_version').get() as { user_version: number }
  const query = `select count(*) as scanned, coalesce(sum(humans + bots), 0) as scans,
    (select count(*) from scans) as rows from totals`
  return { ...(db.prepare(query).get() as unknown as Omit<ScansSummary, 'schema'>), schema }
}

/** Links of one query. */
const PAGE = 1000

/** The links with scans that do not exist: known deletions, and unknown ones. */
export function orphansOf(scans: DatabaseSync, links: DatabaseSync): { deleted: number[]; unknown: number[] } {
  const table = ['deletions', 'purges'].find((name) => has(links, name))
  const isDeleted = table === undefined ? '0' : `exists (select 1 from ${table} where link_id = value)`
  const find = links.prepare(
    `select value as id, ${isDeleted} as isDeleted
     from json_each(?) where not exists (select 1 from links where id = value)`,
  )
  const missing: { id: number; isDeleted: number }[] = []
  for (let last = 0; ;) {
    const ids = linkIdsAfter({ db: scans }, last, PAGE)
    if (ids.length === 0) break
    missing.push(...(find.all(JSON.stringify(ids)) as unknown as typeof missing))
    last = ids.at(-1) ?? Number.POSITIVE_INFINITY
  }
  const idsWith = (deleted: number) => missing.filter((row) => row.isDeleted === deleted).map(({ id }) => id)
  return { deleted: idsWith(1), unknown: idsWith(0) }
}

/** How far a journal file has been folded, in bytes. */
export function markOf(scans: DatabaseSync, journal: string): number {
  const row = scans.prepare('select position from marks where journal = ?').get(journal)
  return (row as { position: number } | undefined)?.position ?? 0
}
