import { DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  bytesOf,
  PAGE_BYTES,
  PAGE_ROWS,
  type Change,
  type Counter,
  type Group,
  type Row,
  type Snapshot,
  type Table,
  type WritableStore,
} from './table.ts'

/** The names by which one connection has both files. */
const schemas: Record<Group, string> = { links: 'main', scans: 'scans' }
const BUSY_MS = 5000

/** The files of a store. */
export interface StoreFiles {
  links: string
  scans: string
}

/** Opens the files of an embedded store. Snapshots read them, also while a service changes them. */
export function openSqliteStore({ links, scans }: StoreFiles, isWritable: boolean): WritableStore {
  const connect = (readOnly: boolean) => {
    const db = new DatabaseSync(links, { readOnly, timeout: BUSY_MS, enableForeignKeyConstraints: false })
    db.prepare('attach ? as scans').run(scans)
    return db
  }
  const reading = connect(true)
  const writing = isWritable ? connect(false) : undefined
  // What is written here need not survive a power loss before the last sync: until then the copy can be made again.
  writing?.exec('pragma main.synchronous = off; pragma scans.synchronous = off')
  const statements = new Map<string, StatementSync>()
  return {
    tables: (['links', 'scans'] as const).flatMap((group) => readTables(reading, group)),
    async snapshot() {
      const db = connect(true)
      db.exec('begin; select count(*) from main.sqlite_schema; select count(*) from scans.sqlite_schema')
      return snapshotOf(db)
    },
    async apply(table, change) {
      if (writing !== undefined) apply(writing, table, change, statements)
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

/** Every table but those of SQLite itself. */
function readTables(db: DatabaseSync, group: Group): Table[] {
  const schema = schemas[group]
  const names = db
    .prepare(`select name from ${schema}.sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`)
    .all() as { name: string }[]
  return names.map(({ name }) => {
    const columns = db.prepare(`select name, pk from pragma_table_info(?, ?)`).all(name, schema) as unknown as {
      name: string
      pk: number
    }[]
    const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk)
    const others = columns.filter(({ pk }) => pk === 0)
    const parents = db.prepare('select "table" as name from pragma_foreign_key_list(?, ?)').all(name, schema)
    return {
      group,
      name,
      columns: [...key.map((column) => column.name), ...others.map((column) => column.name).toSorted()],
      keyLength: key.length,
      references: parents.map((parent) => String(parent['name'])),
    }
  })
}

function snapshotOf(db: DatabaseSync): Snapshot {
  return {
    async *pages({ group, name, columns, keyLength }) {
      const key = columns.slice(0, keyLength).join(', ')
      const select = db.prepare(
        `select ${columns.map(quote).join(', ')} from ${schemas[group]}.${name} order by ${key}`,
      )
      select.setReturnArrays(true)
      let page: Row[] = []
      let bytes = 0
      for (const row of select.iterate() as unknown as Iterable<Row>) {
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

function readCounters(db: DatabaseSync): Counter[] {
  const rows = db.prepare('select name, seq from main.sqlite_sequence').all() as { name: string; seq: number }[]
  return rows.map(({ name, seq }) => ({ table: name, column: 'id', last: seq }))
}

function raise(db: DatabaseSync, table: string, last: number): void {
  const raised = db.prepare('update main.sqlite_sequence set seq = max(seq, ?) where name = ?').run(last, table)
  if (raised.changes === 0) db.prepare('insert into main.sqlite_sequence (name, seq) values (?, ?)').run(table, last)
}

function apply(db: DatabaseSync, table: Table, { put, remove }: Change, statements: Map<string, StatementSync>): void {
  const prepare = (sql: string) => {
    const known = statements.get(sql) ?? db.prepare(sql)
    statements.set(sql, known)
    return known
  }
  const { columns, keyLength } = table
  const where = `${schemas[table.group]}.${table.name}`
  const names = columns.map(quote)
  const [key, others] = [names.slice(0, keyLength), names.slice(keyLength)]
  const set = others.map((name) => `${name} = excluded.${name}`).join(', ')
  db.exec('begin immediate')
  try {
    const drop = prepare(`delete from ${where} where ${key.map((name) => `${name} = ?`).join(' and ')}`)
    for (const row of remove) drop.run(...row.slice(0, keyLength))
    const add = prepare(
      `insert into ${where} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})
       on conflict (${key.join(', ')}) do ${set === '' ? 'nothing' : `update set ${set}`}`,
    )
    for (const row of put) add.run(...row)
    db.exec('commit')
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}

function quote(name: string): string {
  return `"${name}"`
}
