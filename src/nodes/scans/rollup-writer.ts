import type { Query } from '../database/session.ts'
import {
  incrementsByLink,
  unpackKey,
  type Group,
  type Increments,
  type Values,
} from '../../scans/folding/increments.ts'
import { boundValues, countColumns, type Row, type ValueRow } from './bounded-values.ts'
import { numbers } from './sql.ts'

export const addTo = (table: string, columns = countColumns) =>
  columns.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')

/** What to write of one fold. */
interface Rows {
  totals: Row[]
  quarterHourly: Row[]
  daily: ValueRow[]
  monthly: ValueRow[]
}

/**
 * Adds groups of scans to every rollup, in a transaction. The rows of `totals` come first, in the order of the links: they
 * lock the links' other rows against other nodes.
 */
export async function writeRollups(query: Query, groups: Iterable<Group>): Promise<void> {
  await writeIncrements(query, incrementsByLink(groups))
}

/** The same for what is to be added to the rows of each link. */
export async function writeIncrements(query: Query, increments: Iterable<[linkId: number, Increments]>): Promise<void> {
  const rows = rowsOf(increments)
  const sizes = await writeTotals(query, rows.totals)
  const set = `on conflict (link_id, slot) do update set ${addTo('quarter_hourly')}`
  await insert(query, 'quarter_hourly', ['link_id', 'slot', ...countColumns], rows.quarterHourly, set)
  for (const table of ['daily', 'monthly'] as const) {
    const bounded = await boundValues(query, table, rows[table], sizes)
    const key = ['link_id', 'period', 'dimension', 'value']
    const onConflict = `on conflict (${key.join()}) do update set ${addTo(table)}`
    await insert(query, table, [...key, ...countColumns], bounded, onConflict)
  }
}

function rowsOf(increments: Iterable<[linkId: number, Increments]>): Rows {
  const rows: Rows = { totals: [], quarterHourly: [], daily: [], monthly: [] }
  for (const [linkId, { quarterHourly, days, months, totals, peopleAgain, qr, lastAt }] of increments) {
    rows.totals.push({ key: [linkId], counts: [...totals, qr, peopleAgain, lastAt] })
    for (const [slot, counts] of quarterHourly) rows.quarterHourly.push({ key: [linkId, slot], counts })
    for (const [day, values] of days) rows.daily.push(...valueRows(linkId, day, values))
    for (const [month, values] of months) rows.monthly.push(...valueRows(linkId, month, values))
  }
  return rows
}

function valueRows(linkId: number, period: number, values: Values): ValueRow[] {
  return Array.from(values, ([packed, counts]): ValueRow => ({ key: [linkId, period, ...unpackKey(packed)], counts }))
}

/** @returns the number of scans of each link */
async function writeTotals(query: Query, rows: Row[]): Promise<Map<number, number>> {
  const sums = [...countColumns, 'qr', 'people_again']
  const columns = ['link_id', ...sums, 'last_at']
  const set = `on conflict (link_id) do update set ${addTo('totals', sums)},
    last_at = greatest(totals.last_at, excluded.last_at) returning link_id, humans + bots as scans`
  const written = await insert<{ link_id: number; scans: number }>(query, 'totals', columns, rows, set)
  return new Map(written.map(({ link_id: linkId, scans }) => [linkId, scans]))
}

const types: Record<string, string> = { slot: 'integer', period: 'integer', dimension: 'smallint', value: 'integer' }

/** Rows of one statement, which takes a tenth of a second: far less than a statement may. */
const STEP = 10_000

/** Inserts rows in the order of their keys, so that two nodes never wait for each other. */
async function insert<R>(
  query: Query,
  table: string,
  columns: string[],
  rows: Row[],
  onConflict: string,
): Promise<R[]> {
  const sorted = rows.map(({ key, counts }) => ({ key, values: [...key, ...counts] }))
  sorted.sort((a, b) => compareKeys(a.key, b.key))
  const arrays = columns.map((name, at) => `$${at + 1}::${types[name] ?? 'bigint'}[]`)
  const keys = (rows[0]?.key ?? []).map((_, at) => at + 1)
  const text = `insert into quirl_scans.${table} (${columns.join()})
     select * from unnest(${arrays.join()}) order by ${keys.join()} ${onConflict}`
  const returned: R[] = []
  for (let at = 0; at < sorted.length; at += STEP) {
    const step = sorted.slice(at, at + STEP)
    for (const row of await query<R>(
      text,
      columns.map((_, column) => numbers(step.map(({ values }) => values[column]))),
    ))
      returned.push(row)
  }
  return returned
}

function compareKeys(a: number[], b: number[]): number {
  const at = a.findIndex((part, index) => part !== b[index])
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}
