import type pg from 'pg'
import { nameOf, type Counter, type Group, type Table } from './table.ts'

/** The schema of scans; links are in the schema that the connection has by default. */
export const SCANS_SCHEMA = 'quirl_scans'

/** A table of PostgreSQL. */
export interface PostgresTable extends Table {
  /** Its name in statements. */
  from: string
  /** The type of each column. */
  types: string[]
}

/** What pg_catalog says of a table. */
interface Described {
  group: Group
  name: string
  from: string
  columns: { name: string; type: string }[]
  key: string[] | null
  references: string[] | null
}

const describe = `
  select case when n.nspname = $1 then 'scans' else 'links' end as "group", c.relname as name, c.oid::regclass::text as "from",
    (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null)))
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select json_agg(a.attname order by k.place)
      from pg_index i cross join lateral unnest(i.indkey) with ordinality as k (number, place)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
      where i.indrelid = c.oid and i.indisprimary) as key,
    (select json_agg(p.relname) from pg_constraint f join pg_class p on p.oid = f.confrelid
      where f.conrelid = c.oid and f.contype = 'f') as "references"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in (current_schema(), $1) and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname`

/** Every table of links and of scans. */
export async function readTables(client: pg.ClientBase): Promise<Map<string, PostgresTable>> {
  const { rows } = await client.query<Described>(describe, [SCANS_SCHEMA])
  const tables = rows.map(({ columns, key, references, ...named }) => {
    const keys = key ?? []
    const ordered = [
      ...keys.flatMap((name) => columns.filter((column) => column.name === name)),
      ...columns.filter(({ name }) => !keys.includes(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ]
    return {
      ...named,
      columns: ordered.map(({ name }) => name),
      types: ordered.map(({ type }) => type),
      keyLength: keys.length,
      references: references ?? [],
    }
  })
  return new Map(tables.map((table) => [nameOf(table), table]))
}

const sequences = `
  select c.relname as "table", a.attname as "column", pg_sequence_last_value(s.oid)::bigint as last
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attidentity <> ''
  join pg_depend d on d.refobjid = c.oid and d.refobjsubid = a.attnum and d.deptype = 'i'
  join pg_class s on s.oid = d.objid and s.relkind = 'S'
  where n.nspname = current_schema()`

/** The last numbers that the columns which count up have given. */
export async function readCounters(client: pg.ClientBase): Promise<Counter[]> {
  const { rows } = await client.query<{ table: string; column: string; last: number | null }>(sequences)
  return rows.flatMap(({ last, ...of }) => (last === null ? [] : [{ ...of, last }]))
}

export async function raiseCounters(client: pg.ClientBase, counters: Counter[]): Promise<void> {
  const now = new Map((await readCounters(client)).map(({ table, last }) => [table, last]))
  for (const { table, column, last } of counters) {
    if (last > (now.get(table) ?? 0))
      await client.query('select setval(pg_get_serial_sequence(quote_ident($1), $2), $3)', [table, column, last])
  }
}
