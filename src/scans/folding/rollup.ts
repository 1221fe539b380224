import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { dimensions, OTHER } from '../warehouse-schema.ts'
import { incrementsByLink, type Group, type Increments, type Values } from './increments.ts'

/** Distinct values of a link, a period and a dimension; scans with further values count as `(other)`. */
export const MAX_VALUES = 200

/** A table of counts by value. */
interface ValueTable {
  update: StatementSync
  upsert: StatementSync
  count: StatementSync
}

export interface RollupWriter {
  quarterHourly: StatementSync
  totals: StatementSync
  daily: ValueTable
  monthly: ValueTable
}

const sumColumns = ['humans', 'human_firsts', 'bots', 'bot_firsts']
const addToColumns = (table: string) =>
  sumColumns.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')

export function rollupWriter(db: DatabaseSync): RollupWriter {
  const valueTable = (table: string): ValueTable => ({
    update: db.prepare(
      `update ${table} set humans = humans + ?, human_firsts = human_firsts + ?, bots = bots + ?, bot_firsts = bot_firsts + ?
       where link_id = ? and period = ? and dimension = ? and value = ?`,
    ),
    upsert: db.prepare(
      `insert into ${table} values (?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (link_id, period, dimension, value) do update set ${addToColumns(table)}`,
    ),
    count: db.prepare(
      `select count(*) as known from ${table} where link_id = ? and period = ? and dimension = ? and value <> ${OTHER}`,
    ),
  })
  return {
    quarterHourly: db.prepare(
      `insert into quarter_hourly values (?, ?, ?, ?, ?, ?) on conflict (link_id, slot) do update set ${addToColumns('quarter_hourly')}`,
    ),
    totals: db.prepare(
      `insert into totals values (?, ?, ?, ?, ?, ?, ?) on conflict (link_id) do update set ${addToColumns('totals')},
       qr = totals.qr + excluded.qr, last_at = max(totals.last_at, excluded.last_at) returning humans + bots as scans`,
    ),
    daily: valueTable('daily'),
    monthly: valueTable('monthly'),
  }
}

/** Adds groups of scans to every rollup; writes each row once, however many scans it counts. */
export function addToRollups(writer: RollupWriter, groups: Iterable<Group>): void {
  for (const [linkId, increments] of incrementsByLink(groups)) addIncrements(writer, linkId, increments)
}

/** Adds to a link's rows of every rollup. */
export function addIncrements(writer: RollupWriter, linkId: number, increments: Increments): void {
  const { quarterHourly, days, months, totals, qr, lastAt } = increments
  for (const [slot, counts] of quarterHourly) writer.quarterHourly.run(linkId, slot, ...counts)
  const { scans } = writer.totals.get(linkId, ...totals, qr, lastAt) as { scans: number }
  // With so few scans, a link cannot exceed the limit of values.
  const isSmall = scans <= MAX_VALUES
  for (const [day, values] of days) writeValues(writer.daily, [linkId, day], values, isSmall)
  for (const [month, values] of months) writeValues(writer.monthly, [linkId, month], values, isSmall)
}

/** @param isSmall whether the link has so few scans that it cannot exceed the limit of values */
function writeValues(
  table: ValueTable,
  [linkId, period]: [linkId: number, period: number],
  values: Values,
  isSmall: boolean,
): void {
  // The number of values so far, of each dimension that gets a new one.
  const known: (number | undefined)[] = []
  for (const [key, counts] of values) {
    const dimension = key % dimensions.length
    const value = (key - dimension) / dimensions.length
    if (isSmall) {
      table.upsert.run(linkId, period, dimension, value, ...counts)
      continue
    }
    if (table.update.run(...counts, linkId, period, dimension, value).changes === 1) continue
    const before = known[dimension] ?? (table.count.get(linkId, period, dimension) as { known: number }).known
    const isOther = before >= MAX_VALUES
    table.upsert.run(linkId, period, dimension, isOther ? OTHER : value, ...counts)
    known[dimension] = isOther || value === OTHER ? before : before + 1
  }
}
