import type { Query } from '../database/session.ts'
import { addCounts, type Counts } from '../../scans/folding/increments.ts'
import { MAX_VALUES, placeValues } from '../../scans/folding/place-values.ts'
import { OTHER } from '../../scans/text-ids.ts'
import { numbers } from './sql.ts'
import { noteTexts } from './unused-texts.ts'

export const countColumns = ['humans', 'human_firsts', 'bots', 'bot_firsts']
const keyColumns = ['link_id', 'period', 'dimension', 'value'] as const
const keyTypes = ['bigint', 'integer', 'smallint', 'integer']

type Table = 'daily' | 'monthly'
type Key = Record<(typeof keyColumns)[number], number>

/** A row of counts: its key, and what to add. */
export interface Row {
  key: number[]
  counts: number[]
}

/** The key is link, period, dimension and value. */
export type ValueRow = Row & { key: [linkId: number, period: number, dimension: number, value: number] }

/** A table `k` of keys of so many columns, whose arrays are the parameters. */
function keysOf(columns: number): string {
  const arrays = keyTypes.slice(0, columns).map((type, at) => `$${at + 1}::${type}[]`)
  return `unnest(${arrays.join()}) k (${keyColumns.slice(0, columns).join()})`
}

const arraysOf = (keys: readonly (readonly number[])[], columns: number) =>
  keyColumns.slice(0, columns).map((_, at) => numbers(keys.map((key) => key[at])))

/** Gives rows of their own to as many values of a link, period and dimension as may have one; the others count as `(other)`. */
export async function boundValues(
  query: Query,
  table: Table,
  rows: ValueRow[],
  sizes: Map<number, number>,
): Promise<Row[]> {
  // With so few scans, a link cannot exceed the limit of values.
  const [large, small] = partition(rows, ({ key: [linkId] }) => (sizes.get(linkId) ?? 0) > MAX_VALUES)
  if (large.length === 0) return rows
  const { present, full } = await readKnown(query, table, large)
  const bounded: Row[] = small
  const replaced: number[][] = []
  for (const [name, ofKey] of Map.groupBy(large, ({ key }) => nameOf(key))) {
    const known = full.get(name)
    if (known === undefined) bounded.push(...ofKey)
    else {
      const placed = placeRows(ofKey, known, present)
      bounded.push(...placed.rows)
      replaced.push(...placed.replaced)
    }
  }
  return merged([...bounded, ...(await takeRows(query, table, replaced))])
}

/** Places the rows of a link, period and dimension that are more than may be counted apart. */
function placeRows(rows: ValueRow[], known: Map<number, number>, present: Set<string>) {
  const [kept, added] = partition(rows, ({ key }) => present.has(key.join('|')) || key[3] === OTHER)
  const key = (rows[0]?.key ?? []).slice(0, 3)
  // A value that has new scans keeps its row.
  const scans = new Map([...known, ...kept.map((row): [number, number] => [row.key[3], Number.POSITIVE_INFINITY])])
  scans.delete(OTHER)
  const placement = placeValues(
    Array.from(scans, ([value, count]) => ({ value, scans: count })),
    added.map((row) => ({ value: row.key[3], counts: row.counts as Counts })),
  )
  return {
    rows: [
      ...kept,
      ...placement.own.map(({ value, counts }): Row => ({ key: [...key, value], counts })),
      ...placement.others.map(({ counts }): Row => ({ key: [...key, OTHER], counts })),
    ],
    replaced: placement.replaced.map((value) => [...key, value]),
  }
}

const nameOf = (key: readonly number[]) => key.slice(0, 3).join('|')
const nameIn = ({ link_id: linkId, period, dimension }: Key) => nameOf([linkId, period, dimension])

function partition<T>(items: T[], isFirst: (item: T) => boolean): [T[], T[]] {
  const { first = [], second = [] } = Object.groupBy(items, (item) => (isFirst(item) ? 'first' : 'second'))
  return [first, second]
}

/** Adds the rows of the same key, which a statement may have once. */
function merged(rows: Row[]): Row[] {
  const byKey = new Map<string, Row>()
  for (const { key, counts } of rows) {
    const row = byKey.get(key.join('|'))
    if (row === undefined) byKey.set(key.join('|'), { key, counts: [...counts] })
    else addCounts(row.counts as Counts, counts as Counts)
  }
  return [...byKey.values()]
}

/**
 * The rows that exist, and of each link, period and dimension that has more values than may be counted apart, its values with
 * their scans.
 */
async function readKnown(query: Query, table: Table, rows: ValueRow[]) {
  const found = await query<Key>(
    `select ${keyColumns.join()} from quirl_scans.${table} join ${keysOf(4)} using (${keyColumns.join()})`,
    arraysOf(
      rows.map(({ key }) => key),
      4,
    ),
  )
  const present = new Set(found.map((key) => keyColumns.map((name) => key[name]).join('|')))
  const added = Map.groupBy(
    rows.filter(({ key }) => !present.has(key.join('|'))),
    ({ key }) => nameOf(key),
  )
  const growing = Array.from(added.values(), ([row]) => row?.key ?? [])
  const counted = await query<Key & { count: number }>(
    `select link_id, period, dimension, count(*)::integer as count from quirl_scans.${table}
     join ${keysOf(3)} using (link_id, period, dimension) where value <> ${OTHER} group by 1, 2, 3`,
    arraysOf(growing, 3),
  )
  const counts = new Map(counted.map((key) => [nameIn(key), key.count]))
  const full = growing.filter(
    (key) => (counts.get(nameOf(key)) ?? 0) + (added.get(nameOf(key))?.length ?? 0) > MAX_VALUES,
  )
  return { present, full: await readValues(query, table, full) }
}

async function readValues(query: Query, table: Table, keys: number[][]): Promise<Map<string, Map<number, number>>> {
  const values = new Map(keys.map((key) => [nameOf(key), new Map<number, number>()]))
  if (keys.length === 0) return values
  const found = await query<Key & { scans: number }>(
    `select ${keyColumns.join()}, humans + bots as scans from quirl_scans.${table}
     join ${keysOf(3)} using (link_id, period, dimension) where value <> ${OTHER}`,
    arraysOf(keys, 3),
  )
  for (const key of found) values.get(nameIn(key))?.set(key.value, key.scans)
  return values
}

/** Deletes the rows of values, and returns their counts for the rows of `(other)`. */
async function takeRows(query: Query, table: Table, keys: number[][]): Promise<Row[]> {
  if (keys.length === 0) return []
  const taken = await query<Record<string, number>>(
    `with removed as (
       delete from quirl_scans.${table} t using ${keysOf(4)}
       where t.link_id = k.link_id and t.period = k.period and t.dimension = k.dimension and t.value = k.value
       returning t.*
     ), noted as (${noteTexts(['value'])})
     select link_id, period, dimension, ${countColumns.join()} from removed`,
    arraysOf(keys, 4),
  )
  return taken.map((row) => ({
    key: [...['link_id', 'period', 'dimension'].map((name) => row[name] ?? 0), OTHER],
    counts: countColumns.map((name) => row[name] ?? 0),
  }))
}
