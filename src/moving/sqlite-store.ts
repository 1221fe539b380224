import { prepareArrays } from '../db/sqlite/array-rows.ts'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { StartError } from '../lib/start-error.ts'
import { quote, raise, readCounters, readTables, type SqliteTable } from './sqlite-tables-store.ts'
import {
  bytesOf,
  nameOf,
  PAGE_BYTES,
  PAGE_ROWS,
  type Change,
  type Row,
  type Snapshot,
  type Table,
  type WritableStore,
} from './table.ts'

const BUSY_MS = 5000

/** The files of a store. */
export interface StoreFiles {
  links: string
  scans: string
}

/** Opens the files of a store in SQLite. Snapshots read them, also while a service changes them. */
export function openSqliteStore({ links, scans }: StoreFiles, isWritable: boolean): WritableStore {
  const connect = (readOnly: boolean) => {
    const db = new DatabaseSync(links, { readOnly, timeout: BUSY_MS, enableForeignKeyConstraints: false })
    db.prepare('attach ? as scans').run(scans)
    return db
  }
  const reading = connect(true)
  const tables = readTables(reading)
  const of = (table: Table) => tables.get(nameOf(table)) ?? missing(table)
  const writing = isWritable ? connect(false) : undefined
  // What is written here need not survive a power loss before the last sync: until then the copy can be made again.
  writing?.exec('pragma main.synchronous = off; pragma scans.synchronous = off')
  const statements = new Map<string, StatementSync>()
  return {
    tables: [...tables.values()],
    async snapshot() {
      const db = connect(true)
      db.exec('begin; select count(*) from main.sqlite_schema; select count(*) from scans.sqlite_schema')
      return snapshotOf(db, of)
    },
    async apply(table, change) {
      if (writing !== undefined) apply(writing, of(table), change, statements)
    },
    async raise(counters) {
      if (writing !== undefined) for (const { table, last } of counters) raise(writing, table, last)
    },
    async close() {
      reading.close()
      writing?.close()
    },
  }
}

function missing(table: Table): never {
  throw new StartError(`the files have no table ${nameOf(table)}`)
}

function snapshotOf(db: DatabaseSync, of: (table: Table) => SqliteTable): Snapshot {
  return {
    async *pages(table) {
      const { from, columns, keyLength } = of(table)
      const order = columns.slice(0, keyLength).map(quote).join(', ')
      const select = prepareArrays<Row>(db, `select ${columns.map(quote).join(', ')} from ${from} order by ${order}`)
      let page: Row[] = []
      let bytes = 0
      for (const row of select.iterate()) {
        bytes += bytesOf(row)
        if (page.push(row) < PAGE_ROWS && bytes < PAGE_BYTES) continue
        yield page
        page = []
        bytes = 0
      }
      if (page.length > 0) yield page
    },
    counters: async () => readCounters(db),
    close: async () => db.close(),
  }
}

function apply(
  db: DatabaseSync,
  table: SqliteTable,
  { put, remove }: Change,
  statements: Map<string, StatementSync>,
): void {
  const prepare = (sql: string) => {
    const known = statements.get(sql) ?? db.prepare(sql)
    statements.set(sql, known)
    return known
  }
  const key = table.columns.slice(0, table.keyLength).map(quote)
  db.exec('begin immediate')
  try {
    if (remove.length > 0) {
      const drop = prepare(`delete from ${table.from} where ${key.map((name) => `${name} = ?`).join(' and ')}`)
      for (const row of remove) drop.run(...row.slice(0, table.keyLength))
    }
    const write = prepare(table.write ?? insertOf(table))
    for (const row of put) write.run(...row)
    db.exec('commit')
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}

function insertOf({ from, columns, keyLength }: SqliteTable): string {
  const names = columns.map(quote)
  const set = names.slice(keyLength).map((name) => `${name} = excluded.${name}`)
  return `insert into ${from} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})
    on conflict (${names.slice(0, keyLength).join(', ')}) do ${set.length === 0 ? 'nothing' : `update set ${set.join(', ')}`}`
}
