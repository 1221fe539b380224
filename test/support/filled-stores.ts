import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { openSqlite } from '../../src/db/sqlite/database.ts'
import { assignScans } from '../../src/scans/sqlite/adopt.ts'
import { openSqliteWarehouse } from '../../src/scans/sqlite/warehouse.ts'
import { join } from 'node:path'
import { leftOut } from '../../src/moving/plan.ts'
import { oneOf, type Random } from './random.ts'

/** Texts that a careless copy would change, and long ones. */
const texts = [
  '',
  ' ',
  "'",
  '"a","b"',
  '\\',
  '\\N',
  'NULL',
  '{}',
  '{"a":[1,"ü"]}',
  'a\nb\r\n\tc',
  'Zürich',
  '😀',
  '\u{e000}',
  '\u00e4',
  'a\u0308',
]

/** Creates the files of a store, of which every table has rows of random values, and `links` rows of links. */
export async function fillStore(folder: string, random: Random, links: number): Promise<void> {
  await (await openSqlite(join(folder, 'links.db'), Date.now)).close()
  openSqliteWarehouse(join(folder, 'scans.db')).close()
  const ids: number[] = []
  for (const file of ['links.db', 'scans.db']) {
    const db = new DatabaseSync(join(folder, file), { enableForeignKeyConstraints: false })
    try {
      db.exec('begin')
      for (const table of tablesOf(db)) fillTable(db, table, random, ids, table === 'links' ? links : 60)
      if (file === 'scans.db') db.exec('update counter set next = 5000000000, lost = 17')
      db.exec('commit')
    } finally {
      db.close()
    }
  }
  const stored = new DatabaseSync(join(folder, 'links.db'))
  const { id } = stored.prepare('select id from instance').get() as { id: string }
  stored.close()
  assignScans(folder, id)
}

/** Tables that have the rows of their migration, or one row. */
const asTheyAre = new Set(['migrations', 'instance', 'counter'])

function tablesOf(db: DatabaseSync): string[] {
  const rows = db.prepare("select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*'").all()
  const names = rows.map(({ name }) => String(name)).filter((name) => !asTheyAre.has(name))
  // Those that others refer to come first.
  const order = ['links', 'webhooks', 'collections']
  return [...order.filter((name) => names.includes(name)), ...names.filter((name) => !order.includes(name))]
}

interface Column {
  name: string
  type: string
  notnull: number
  pk: number
}

/** @param ids the links that rows are of; `links` adds its own */
function fillTable(db: DatabaseSync, table: string, random: Random, ids: number[], count: number): void {
  const columns = db
    .prepare('select name, type, "notnull", pk from pragma_table_info(?)')
    .all(table) as unknown as Column[]
  const parents = new Map<string, (number | string)[]>(
    db
      .prepare('select "from", "table", "to" from pragma_foreign_key_list(?)')
      .all(table)
      .map((key) => {
        const rows = db.prepare(`select ${String(key['to'])} as id from ${String(key['table'])}`).all()
        return [String(key['from']), rows.map(({ id }) => (typeof id === 'string' ? id : Number(id)))] as const
      }),
  )
  if (!parents.has('link_id') && ids.length > 0) parents.set('link_id', ids)
  const insert = db.prepare(`insert or ignore into ${table} values (${columns.map(() => '?').join(', ')})`)
  for (let at = 0; at < count; at++)
    insert.run(...columns.map((column) => valueOf(column, parents.get(column.name), random, at)))
  if (table === 'links')
    ids.push(
      ...db
        .prepare('select id from links')
        .all()
        .map((row) => Number(row['id'])),
    )
}

function valueOf(
  { name, type, notnull, pk }: Column,
  ids: (number | string)[] | undefined,
  random: Random,
  at: number,
): SQLInputValue {
  if (ids !== undefined) return oneOf(random, ids)
  const isUnique = pk > 0 || /key|hash/.test(name)
  if (!isUnique && notnull === 0 && random() < 0.3) return null
  // Three months of scans, each in a partition.
  if (name === 'at') return Date.UTC(2026, 8) + Math.floor(random() * 90 * 86_400_000)
  if (name === 'dimension') return Math.floor(random() * 8)
  switch (type.toLowerCase()) {
    case 'text':
      if (isUnique) return `${at} ${oneOf(random, texts)} ${random()}`
      return random() < 0.002 ? 'x'.repeat(20_000) : oneOf(random, texts)
    case 'smallint':
      return random() < 0.5 ? 1 : 0
    case 'integer':
      return Math.floor(random() * (pk > 0 ? 2 ** 31 : 1000))
    default:
      return Math.floor(random() * 2 ** 47)
  }
}

/** All rows of a file but those that a move leaves out, by table, as texts. */
export function rowsOf(file: string): Record<string, string[]> {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const names = db.prepare("select name from sqlite_schema where type = 'table'").all()
    const tables = names.map(({ name }) => String(name)).filter((name) => leftOut[name] === undefined)
    return Object.fromEntries(
      tables.map((name) => {
        const rows = db.prepare(`select * from ${name}`).all()
        return [name, rows.map((row) => JSON.stringify(row)).toSorted()]
      }),
    )
  } finally {
    db.close()
  }
}
