import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { dayOf, monthOf, slotOf } from './calendar.ts'
import { OTHER } from './warehouse-schema.ts'
import type { FoldedScan } from './warehouse.ts'

/** Distinct values that are told apart for a link, a period and a dimension; the rest is `(other)`. */
const MAX_VALUES = 200

/** Scans and first-of-day scans, by audience: the columns of every rollup. */
type Counts = [humans: number, humanFirsts: number, bots: number, botFirsts: number]

/** Counts under a key; the key's parts come before the counts in the table's row. */
type Sums = Map<string, { key: number[]; counts: Counts }>

/** A table of counts by value. */
interface ValueTable {
  update: StatementSync
  insert: StatementSync
  count: StatementSync
}

export interface RollupWriter {
  pulse: StatementSync
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
    insert: db.prepare(
      `insert into ${table} values (?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (link_id, period, dimension, value) do update set ${addToColumns(table)}`,
    ),
    count: db.prepare(
      `select count(*) as known from ${table} where link_id = ? and period = ? and dimension = ? and value <> ${OTHER}`,
    ),
  })
  return {
    pulse: db.prepare(
      `insert into pulse values (?, ?, ?, ?, ?, ?) on conflict (link_id, slot) do update set ${addToColumns('pulse')}`,
    ),
    totals: db.prepare(
      `insert into totals values (?, ?, ?, ?, ?, ?, ?) on conflict (link_id) do update set ${addToColumns('totals')},
       qr = totals.qr + excluded.qr, last_at = max(totals.last_at, excluded.last_at)`,
    ),
    daily: valueTable('daily'),
    monthly: valueTable('monthly'),
  }
}

/** A scan with the ids of its values, in the order of the dimensions. */
export interface Entry {
  scan: FoldedScan
  ids: number[]
}

/** Adds scans to every rollup; each row is touched once, however many scans it gets. */
export function addToRollups(writer: RollupWriter, entries: Entry[]): void {
  const pulse: Sums = new Map()
  const daily: Sums = new Map()
  const monthly: Sums = new Map()
  for (const { scan, ids } of entries) {
    const { linkId, at } = scan
    add(pulse, [linkId, slotOf(at)], scan)
    for (const [dimension, value] of ids.entries()) {
      add(daily, [linkId, dayOf(at), dimension, value], scan)
      add(monthly, [linkId, monthOf(at), dimension, value], scan)
    }
  }
  for (const { key, counts } of pulse.values()) writer.pulse.run(...key, ...counts)
  writeValues(writer.daily, daily)
  writeValues(writer.monthly, monthly)
  writeTotals(writer, entries)
}

function writeTotals(writer: RollupWriter, entries: Entry[]): void {
  const totals = new Map<number, { counts: Counts; qr: number; lastAt: number }>()
  for (const { scan } of entries) {
    const total = totals.get(scan.linkId) ?? { counts: [0, 0, 0, 0], qr: 0, lastAt: 0 }
    totals.set(scan.linkId, total)
    count(total.counts, scan)
    if (scan.source === 'qr') total.qr++
    total.lastAt = Math.max(total.lastAt, scan.at)
  }
  for (const [linkId, { counts, qr, lastAt }] of totals) writer.totals.run(linkId, ...counts, qr, lastAt)
}

function add(sums: Sums, key: number[], scan: FoldedScan): void {
  const name = key.join()
  let sum = sums.get(name)
  if (sum === undefined) sums.set(name, (sum = { key, counts: [0, 0, 0, 0] }))
  count(sum.counts, scan)
}

function count(counts: Counts, { bot, first }: FoldedScan): void {
  const at = bot ? 2 : 0
  counts[at]++
  if (first) counts[(at + 1) as 1 | 3]++
}

function writeValues(table: ValueTable, sums: Sums): void {
  // Values known so far of each link, period and dimension that gets a new one.
  const known = new Map<string, number>()
  for (const { key, counts } of sums.values()) {
    if (table.update.run(...counts, ...key).changes === 1) continue
    const group = key.slice(0, 3)
    const name = group.join()
    const before = known.get(name) ?? (table.count.get(...group) as { known: number }).known
    const isOther = before >= MAX_VALUES
    table.insert.run(...group, isOther ? OTHER : (key[3] ?? 0), ...counts)
    known.set(name, isOther ? before : before + 1)
  }
}
