import type pg from 'pg'
import { StartError } from '../../lib/start-error.ts'
import { nameOf, type Counter, type Group, type Table } from '../../moving/table.ts'

/** The schema of scans; links are in the schema that the connection has by default. */
export const SCANS_SCHEMA = 'quirl_scans'

/** A table of PostgreSQL. */
export interface PostgresTable extends Table {
  /** Its name in statements. */
  from: string
  /** The type of each column. */
  types: string[]
  /** Columns that only this store has, with the value of new rows. */
  added: Record<string, string>
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
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number and k.place <= i.indnkeyatts
      where i.indrelid = c.oid and i.indisprimary) as key,
    (select json_agg(p.relname) from pg_constraint f join pg_class p on p.oid = f.confrelid
      where f.conrelid = c.oid and f.contype = 'f') as "references"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in (current_schema(), $1) and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname`

/**
 * Every table of links and of scans.
 * @param folder the id of the journal folder whose positions a move adds
 */
export async function readTables(client: pg.ClientBase, folder = ''): Promise<Map<string, PostgresTable>> {
  const { rows } = await client.query<Described>(describe, [SCANS_SCHEMA])
  const tables = rows.map(({ columns: all, key, references, ...named }) => {
    const keys = key ?? []
    const added: Record<string, string> = nameOf(named) === 'scans.journal_positions' ? { folder } : {}
    const columns = all.filter(({ name }) => added[name] === undefined)
    const ordered = [
      ...keys.flatMap((name) => columns.filter((column) => column.name === name)),
      ...columns.filter(({ name }) => !keys.includes(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ]
    return {
      ...named,
      added,
      columns: ordered.map(({ name }) => name),
      types: ordered.map(({ type }) => type),
      keyLength: keys.length,
      references: references ?? [],
    }
  })
  return new Map(tables.map((table) => [nameOf(table), table]))
}

/** Each sequence, named by the table whose rows it numbers, or by itself. */
const sequences = `
  select case when n.nspname = $1 then 'scans.' else '' end || coalesce(t.relname, s.relname) as "table",
    s.oid::regclass::text as sequence, pg_sequence_last_value(s.oid)::bigint as last
  from pg_class s join pg_namespace n on n.oid = s.relnamespace
  left join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.deptype = 'i'
  left join pg_class t on t.oid = d.refobjid
  where s.relkind = 'S' and n.nspname in (current_schema(), $1)`

interface Sequence {
  table: string
  sequence: string
  last: number | null
}

async function readSequences(client: pg.ClientBase): Promise<Sequence[]> {
  return (await client.query<Sequence>(sequences, [SCANS_SCHEMA])).rows
}

export async function readCounters(client: pg.ClientBase): Promise<Counter[]> {
  return (await readSequences(client)).flatMap(({ table, last }) => (last === null ? [] : [{ table, last }]))
}

export async function raiseCounters(client: pg.ClientBase, counters: Counter[]): Promise<void> {
  const found = new Map((await readSequences(client)).map((each) => [each.table, each]))
  for (const { table, last } of counters) {
    const sequence = found.get(table)
    if (sequence === undefined) throw new StartError(`PostgreSQL has no counter of ${table}`)
    if (last > (sequence.last ?? 0)) await client.query('select setval($1::regclass, $2)', [sequence.sequence, last])
  }
}
