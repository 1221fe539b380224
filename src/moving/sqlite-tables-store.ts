import type { DatabaseSync } from 'node:sqlite'
import { nameOf, SCAN_NUMBERS, type Counter, type Group, type Table } from './table.ts'

/** The names by which one connection has both files. */
const schemas: Record<Group, string> = { links: 'main', scans: 'scans' }

/** A table of SQLite. */
export interface SqliteTable extends Table {
  /** Its name in statements, or a query. */
  from: string
  /** The statement that writes a row, when it is not an insertion. */
  write?: string
}

/** Tables of `scans.db` whose rows PostgreSQL has under another name. */
const renamed: Record<string, string> = { 'scans.marks': 'journal_positions' }

/** What PostgreSQL has in a table of its own, and `scans.db` in a column of its counter. */
const lost: SqliteTable = {
  group: 'scans',
  name: 'lost',
  columns: ['one', 'scans'],
  keyLength: 1,
  references: [],
  from: '(select 1 as one, lost as scans from scans.counter)',
  write: 'update scans.counter set lost = ?2 where ?1 = 1',
}

/** Every table but those of SQLite itself, as PostgreSQL has it. */
export function readTables(db: DatabaseSync): Map<string, SqliteTable> {
  const tables = (['links', 'scans'] as const).flatMap((group) => readGroup(db, group))
  const all = tables.map((table) => (nameOf(table) === 'scans.counter' ? lost : table))
  return new Map(all.map((table) => [nameOf(table), table]))
}

function readGroup(db: DatabaseSync, group: Group): SqliteTable[] {
  const schema = schemas[group]
  const tables = `select name from ${schema}.sqlite_schema where type = 'table' and name not glob 'sqlite_*'`
  return db
    .prepare(tables)
    .all()
    .map((row) => describe(db, group, String(row['name'])))
}

function describe(db: DatabaseSync, group: Group, name: string): SqliteTable {
  const schema = schemas[group]
  const columns = db.prepare('select name, pk from pragma_table_info(?, ?)').all(name, schema) as unknown as {
    name: string
    pk: number
  }[]
  const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk)
  const others = columns.filter(({ pk }) => pk === 0).map((column) => column.name)
  const parents = db.prepare('select "table" as name from pragma_foreign_key_list(?, ?)').all(name, schema)
  return {
    group,
    name: renamed[nameOf({ group, name })] ?? name,
    columns: [...key.map((column) => column.name), ...others.toSorted()],
    keyLength: key.length,
    references: parents.map((parent) => String(parent['name'])),
    from: `${schema}.${quote(name)}`,
  }
}

/** PostgreSQL also counts the ids of texts, which SQLite does not: the largest one is the last. */
export function readCounters(db: DatabaseSync): Counter[] {
  const counted = `select name as "table", seq as last from main.sqlite_sequence
    union all select '${SCAN_NUMBERS}', next - 1 from scans.counter
    union all select 'scans.dictionary', max(id) from scans.dictionary`
  return (db.prepare(counted).all() as unknown as Counter[]).filter(({ last }) => last > 0)
}

export function raise(db: DatabaseSync, table: string, last: number): void {
  if (table === 'scans.dictionary') return
  if (table === SCAN_NUMBERS) {
    db.prepare('update scans.counter set next = max(next, ?)').run(last + 1)
    return
  }
  const raised = db.prepare('update main.sqlite_sequence set seq = max(seq, ?) where name = ?').run(last, table)
  if (raised.changes === 0) db.prepare('insert into main.sqlite_sequence (name, seq) values (?, ?)').run(table, last)
}

export function quote(name: string): string {
  return `"${name}"`
}
