import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { dayOf, monthOf, slotOf } from './calendar.ts'
import { OTHER } from './warehouse-schema.ts'
import type { FoldedScan } from './scan.ts'

/** Distinct values that are told apart for a link, a period and a dimension; the rest is `(other)`. */
const MAX_VALUES = 200

/** Scans and first-of-day scans, by audience: the columns of every rollup. */
type Counts = [humans: number, humanFirsts: number, bots: number, botFirsts: number]

/** Counts under a key; the key's parts come before the counts in the table's row. */
type Sums = Map<string, { key: number[]; counts: Counts }>

/** A table of counts by value. */
interface ValueTable {
  update: StatementSync
  upsert: StatementSync
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
    upsert: db.prepare(
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
       qr = totals.qr + excluded.qr, last_at = max(totals.last_at, excluded.last_at) returning humans + bots as scans`,
    ),
    daily: valueTable('daily'),
    monthly: valueTable('monthly'),
  }
}

/** Scans that count alike: of one link and quarter of an hour, with the same values, flag and audience. */
export interface Group {
  linkId: number
  at: number
  /** The ids of their values, in the order of the dimensions. */
  ids: number[]
  isQr: boolean
  counts: Counts
  lastAt: number
}

/** Adds groups of scans to every rollup; each row is touched once, however many scans it gets. */
export function addToRollups(writer: RollupWriter, groups: Iterable<Group>): void {
  const pulse: Sums = new Map()
  const daily: Sums = new Map()
  const monthly: Sums = new Map()
  const totals = new Map<number, { counts: Counts; qr: number; lastAt: number }>()
  for (const group of groups) {
    const { linkId, at, ids, counts } = group
    const [slot, day, month] = [slotOf(at), dayOf(at), monthOf(at)]
    add(pulse, [linkId, slot], counts)
    for (const [dimension, value] of ids.entries()) {
      add(daily, [linkId, day, dimension, value], counts)
      add(monthly, [linkId, month, dimension, value], counts)
    }
    const total = totals.get(linkId) ?? { counts: [0, 0, 0, 0], qr: 0, lastAt: 0 }
    totals.set(linkId, total)
    addCounts(total.counts, counts)
    if (group.isQr) total.qr += counts[0] + counts[2]
    total.lastAt = Math.max(total.lastAt, group.lastAt)
  }
  for (const { key, counts } of pulse.values()) writer.pulse.run(...key, ...counts)
  const small = new Set<number>()
  for (const [linkId, { counts, qr, lastAt }] of totals) {
    const { scans } = writer.totals.get(linkId, ...counts, qr, lastAt) as { scans: number }
    if (scans <= MAX_VALUES) small.add(linkId)
  }
  writeValues(writer.daily, daily, (linkId) => small.has(linkId))
  writeValues(writer.monthly, monthly, (linkId) => small.has(linkId))
}

/** Sorts scans into groups, and calls back for each scan with the ids of its values. */
export function groupScans(
  scans: FoldedScan[],
  idsOf: (scan: FoldedScan) => number[],
  each: (scan: FoldedScan, ids: number[]) => void,
): Iterable<Group> {
  const groups = new Map<string, Group>()
  for (const scan of scans) {
    const { linkId, at, source, device, os, browser, country, city, referrer } = scan
    const key = `${linkId}|${slotOf(at)}|${source}|${device}|${os}|${browser}|${country ?? ''}|${city ?? ''}|${referrer ?? ''}`
    let group = groups.get(key)
    if (group === undefined) {
      group = { linkId, at, ids: idsOf(scan), isQr: source === 'qr', counts: [0, 0, 0, 0], lastAt: at }
      groups.set(key, group)
    }
    count(group.counts, scan)
    group.lastAt = Math.max(group.lastAt, at)
    each(scan, group.ids)
  }
  return groups.values()
}

function addCounts(counts: Counts, more: Counts): void {
  counts[0] += more[0]
  counts[1] += more[1]
  counts[2] += more[2]
  counts[3] += more[3]
}

function add(sums: Sums, key: number[], counts: Counts): void {
  const name = key.join()
  const sum = sums.get(name)
  if (sum === undefined) sums.set(name, { key, counts: [...counts] })
  else addCounts(sum.counts, counts)
}

function count(counts: Counts, { bot, first }: FoldedScan): void {
  counts[bot ? 2 : 0]++
  if (first) counts[bot ? 3 : 1]++
}

/** @param isSmall whether a link has so few scans that it cannot have too many values */
function writeValues(table: ValueTable, sums: Sums, isSmall: (linkId: number) => boolean): void {
  // Values known so far of each link, period and dimension that gets a new one.
  const known = new Map<string, number>()
  for (const { key, counts } of sums.values()) {
    const [linkId = 0, period = 0, dimension = 0, value = 0] = key
    if (isSmall(linkId)) {
      table.upsert.run(linkId, period, dimension, value, ...counts)
      continue
    }
    if (table.update.run(...counts, linkId, period, dimension, value).changes === 1) continue
    const name = `${linkId},${period},${dimension}`
    const before = known.get(name) ?? (table.count.get(linkId, period, dimension) as { known: number }).known
    const isOther = before >= MAX_VALUES
    table.upsert.run(linkId, period, dimension, isOther ? OTHER : value, ...counts)
    known.set(name, isOther ? before : before + 1)
  }
}
