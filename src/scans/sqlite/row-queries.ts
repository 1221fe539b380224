import { prepareArrays } from '../../db/sqlite/array-rows.ts'
import type { SqliteWarehouse } from './warehouse.ts'
import type { AudienceSums } from '../statistics/quarter-hours.ts'
import {
  NO_TOTALS,
  type BriefTotalsRow,
  type RawRow,
  type RawSlot,
  type RowQueries,
  type SlotRange,
  type TextOf,
  type TotalsRow,
  type ManyRows,
  type PageQueries,
  type ScanRow,
  type SlotRow,
  type WeekRange,
  type ValueRow,
  type Sources,
} from '../statistics/row-queries.ts'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { dimensionNames, numberOf } from '../../dimensions/dimensions.ts'
import type { Audience } from '../statistics/stats-query.ts'
import type { RowRanges } from '../statistics/window.ts'
import { startOfSlot } from '../calendar.ts'
import { BOT, FIRST } from '../statistics/filtered/block.ts'
import { HOURS_OF_WEEK, SLOTS_OF_WEEK } from '../statistics/heat.ts'
import { SLOTS_OF_HOUR } from '../statistics/periods.ts'
import { columnsOf, conditionOf } from '../statistics/audience-columns.ts'
import { createValueSums, type CountOfValue, type ValueSums } from '../statistics/value-sums.ts'

/** Nobody else folds into this store. */
const BEHIND_MS = 0
const counts = 'humans, human_firsts, bots, bot_firsts'
type Db = Pick<SqliteWarehouse, 'db'>

/** Scans that are counted between two pauses, for a few milliseconds. */
const STEP = 2_000

/** How scans are counted one by one: a link may have millions of them at the edges of a window. */
interface Counting {
  /** Called after each `STEP` of them. */
  pause: () => Promise<void>
  /** The longest range of one statement, which counts without a pause, in milliseconds. */
  statementMs: number
}

/** In one turn of the event loop. */
const atOnce: Counting = { pause: async () => {}, statementMs: Number.POSITIVE_INFINITY }

/** The counting of a connection in whose transaction nothing changes. */
export const inSteps: Counting = { pause: () => yieldToEventLoop(), statementMs: 3_600_000 }

/**
 * Reads the rows of the store in SQLite.
 * @param counting by default, each call reads in one turn of the event loop, so that no fold comes between
 */
export function openRowQueries(warehouse: Pick<SqliteWarehouse, 'db' | 'dictionary'>, counting = atOnce): RowQueries {
  const { db, dictionary } = warehouse
  return {
    async totals(linkIds) {
      const read = db.prepare('select * from totals where link_id = ?')
      return linkIds.map((linkId) => (read.get(linkId) as TotalsRow | undefined) ?? NO_TOTALS)
    },
    briefTotals: async (linkIds) =>
      prepareArrays<BriefTotalsRow>(
        db,
        `select link_id, humans + bots, humans, last_at from totals where link_id in (select value from json_each(?))`,
      ).all(JSON.stringify(linkIds)),
    behindMs: async () => BEHIND_MS,
    missing: async (linkId) => readMissing(warehouse, linkId, EVER),
    rawScans: async (linkIds, ranges) => countRaw(warehouse, linkIds, ranges),
    async ofLink(linkId, { audience, slots, rowRanges, earlier, heat, window }) {
      const sources: Sources[] = []
      for (const each of earlier) sources.push(await createSourceReader(warehouse, counting, audience, each)(linkId))
      return {
        slots: readSlots(warehouse, slots)(linkId),
        values: await readValues(warehouse, counting, linkId, audience, rowRanges),
        earlier: sources,
        heat: readHeat(warehouse, linkId, audience, heat),
        missing: readMissing(warehouse, linkId, window),
        behindMs: BEHIND_MS,
      }
    },
    async ofLinks(linkIds, { audience, slots, rowRanges }) {
      const slotsOf = readSlots(warehouse, slots)
      const sourcesOf = createSourceReader(warehouse, counting, audience, rowRanges)
      const links: ManyRows['links'] = []
      for (const linkId of linkIds) links.push({ slots: slotsOf(linkId), sources: await sourcesOf(linkId) })
      return { links, behindMs: BEHIND_MS }
    },
    ...openRaw(db),
    pause: counting.pause,
    ...openPages(db),
    texts: async () => memoize(dictionary.text),
  }
}

/** Prepares to read ranges of the quarter-hourly rollup, whose borders fit every time zone. */
function readSlots({ db }: Pick<SqliteWarehouse, 'db'>, ranges: SlotRange[]): (linkId: number) => AudienceSums[] {
  const read = db.prepare(
    `select total(humans) as humans, total(human_firsts) as humanFirsts, total(bots) as bots, total(bot_firsts) as botFirsts
     from quarter_hourly where link_id = ? and slot >= ? and slot < ?`,
  )
  return (linkId) => ranges.map(({ fromSlot, toSlot }) => read.get(linkId, fromSlot, toSlot) as AudienceSums)
}

/** Counts the scans of each hour of the week. */
function readHeat({ db }: Db, linkId: number, audience: Audience, ranges: WeekRange[]): number[] {
  const hours = Array.from({ length: HOURS_OF_WEEK }, () => 0)
  if (ranges.length === 0) return hours
  const read = prepareArrays<[hour: number, scans: number]>(
    db,
    // A bound number is a float, by which a division has a fraction.
    `select (slot + cast(? as integer)) % ${SLOTS_OF_WEEK} / ${SLOTS_OF_HOUR} as hour, sum(${columnsOf[audience].scans})
     from quarter_hourly where link_id = ? and slot >= ? and slot < ? group by hour`,
  )
  for (const { fromSlot, toSlot, shift } of ranges) {
    for (const [hour, scans] of read.all(shift, linkId, fromSlot, toSlot)) hours[hour] = (hours[hour] ?? 0) + scans
  }
  return hours
}

const EVER: SlotRange = { fromSlot: 0, toSlot: 2 ** 31 - 1 }

/** Counts the scans of a range that have no row. */
function readMissing({ db }: Pick<SqliteWarehouse, 'db'>, linkId: number, { fromSlot, toSlot }: SlotRange): number {
  const read = db.prepare(
    'select total(humans + bots) as scans from raw_missing where link_id = ? and slot >= ? and slot < ?',
  )
  return (read.get(linkId, fromSlot, toSlot) as { scans: number }).scans
}

/** Counts the scans that have a row, by what the rollup has and what is missing. */
function countRaw({ db }: Pick<SqliteWarehouse, 'db'>, linkIds: number[], ranges: SlotRange[]): number {
  const sumOf = (table: string) =>
    `(select total(humans + bots) from ${table} where link_id = ?1 and slot >= ?2 and slot < ?3)`
  const read = db.prepare(`select ${sumOf('quarter_hourly')} - ${sumOf('raw_missing')} as scans`)
  const countOf = (linkId: number, { fromSlot, toSlot }: SlotRange) =>
    (read.get(linkId, fromSlot, toSlot) as { scans: number }).scans
  return linkIds.reduce((sum, linkId) => ranges.reduce((all, range) => all + countOf(linkId, range), sum), 0)
}

/** Reads raw scans to be counted with filters. */
function openRaw(db: DatabaseSync): Pick<RowQueries, 'rawSlots' | 'rawRows'> {
  const imported = db.prepare('select position from imported where link_id = ?')
  const slots = prepareArrays<RawSlot>(
    db,
    `select q.slot, q.humans + q.bots - coalesce(m.humans + m.bots, 0), coalesce(m.humans + m.bots, 0)
     from quarter_hourly q left join raw_missing m using (link_id, slot)
     where q.link_id = ? and q.slot >= ? and q.slot < ? order by q.slot`,
  )
  const rows = prepareArrays<RawRow>(
    db,
    `select at / ${startOfSlot(1)}, first * ${FIRST} + bot * ${BOT}, ${dimensionNames.join()} from scans
     where link_id = ? and at >= ? and at < ?`,
  )
  return {
    rawSlots: async (linkId, { fromSlot, toSlot }) => ({
      imported: (imported.get(linkId) as { position: number } | undefined)?.position ?? 0,
      slots: slots.all(linkId, fromSlot, toSlot),
    }),
    rawRows: async (linkId, from, to) => rows.all(linkId, from, to),
  }
}

/** Reads each text once: a page of the export has few, each many times. */
function memoize(read: TextOf): TextOf {
  const texts = new Map<number, string | null>()
  return (id) => {
    let text = texts.get(id)
    if (text === undefined) texts.set(id, (text = read(id)))
    return text
  }
}

/** Reads pages of the tables of a link. */
function openPages(db: DatabaseSync): PageQueries {
  return {
    scansAfter: async (linkId, [at = 0, n = 0], limit) =>
      db
        .prepare(
          `select at, n, ${dimensionNames.join()}, first, bot from scans
           where link_id = ? and (at, n) > (?, ?) order by at, n limit ?`,
        )
        .all(linkId, at, n, limit) as ScanRow[],
    slotsAfter: async (linkId, [slot = -1], limit) =>
      db
        .prepare(`select slot, ${counts} from quarter_hourly where link_id = ? and slot > ? order by slot limit ?`)
        .all(linkId, slot, limit) as SlotRow[],
    valuesAfter: async (table, linkId, [period = -1, dimension = 0, value = 0], limit) =>
      db
        .prepare(
          `select period, dimension, value, ${counts} from ${table}
           where link_id = ? and (period, dimension, value) > (?, ?, ?) order by period, dimension, value limit ?`,
        )
        .all(linkId, period, dimension, value, limit) as ValueRow[],
  }
}

type SourceRow = {
  value: number
  scans: number
}

/**
 * Prepares to read the sources of many links in the same window. The keys of the rollups begin with link, period and dimension:
 * each period is one look-up, and no other dimension is read.
 */
function createSourceReader(
  { db, dictionary }: Pick<SqliteWarehouse, 'db' | 'dictionary'>,
  { pause, statementMs }: Counting,
  audience: Audience,
  { months, days, raw, excess }: RowRanges,
): (linkId: number) => Promise<Sources> {
  const { scans } = columnsOf[audience]
  const rollup = (table: string) =>
    db.prepare(
      `select value, ${scans} as scans from ${table} where link_id = ? and period = ? and dimension = ${numberOf('source')}`,
    )
  const edges = db.prepare(
    `select source as value, count(*) as scans from scans
     where link_id = ? and at >= ? and at < ? ${conditionOf[audience]} group by source`,
  )
  const rollups = [
    { read: rollup('monthly'), periods: periodsOf(months) },
    { read: rollup('daily'), periods: periodsOf(days) },
  ]
  return async (linkId) => {
    const sums: Sources = { qr: 0, link: 0 }
    const add = (rows: SourceRow[], sign = 1) => {
      for (const row of rows) sums[dictionary.text(row.value) === 'qr' ? 'qr' : 'link'] += sign * row.scans
    }
    for (const { read, periods } of rollups) {
      for (const period of periods) add(read.all(linkId, period) as SourceRow[])
    }
    const addEdge = async (from: number, to: number, sign = 1) => {
      for (let at = from; at < to; await pause()) {
        const end = Math.min(to, at + statementMs)
        add(edges.all(linkId, at, end) as SourceRow[], sign)
        at = end
      }
    }
    for (const range of raw) await addEdge(...range)
    for (const { from, to } of excess) await addEdge(from, to, -1)
    return sums
  }
}

function periodsOf(ranges: [from: number, to: number][]): number[] {
  return ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at))
}

/** Counts the scans of a link by value. */
async function readValues(
  warehouse: Db,
  counting: Counting,
  linkId: number,
  audience: Audience,
  rowRanges: RowRanges,
): Promise<ValueSums> {
  const sums = createValueSums()
  addRollups(warehouse, linkId, audience, rowRanges, sums)
  const count = createRawCounter(warehouse, counting, audience)
  const counted = createValueLookup(warehouse, linkId, audience)
  await addRawScans((range, add) => count(linkId, range, add), counted, rowRanges, sums)
  return sums
}

function addRollups({ db }: Db, linkId: number, audience: Audience, rowRanges: RowRanges, { add }: ValueSums): void {
  const { scans, firsts } = columnsOf[audience]
  for (const [table, ranges] of [
    ['monthly', rowRanges.months],
    ['daily', rowRanges.days],
  ] as const) {
    // Summed here: a month has some ten thousand rows, and SQLite would sort them all to group them.
    const read = prepareArrays<Parameters<ValueSums['add']>>(
      db,
      `select dimension, value, ${scans}, ${firsts} from ${table} where link_id = ? and period between ? and ?`,
    )
    for (const range of ranges) for (const row of read.all(linkId, ...range)) add(...row)
  }
}

/** Counts the raw scans at the edges of a window that are not whole UTC days, and subtracts those that its days have in excess. */
async function addRawScans(
  count: (range: [from: number, to: number], add: ValueSums['add']) => Promise<void>,
  counted: ReturnType<typeof createValueLookup>,
  rowRanges: RowRanges,
  sums: ValueSums,
): Promise<void> {
  for (const range of rowRanges.raw) await count(range, sums.add)
  for (const { day, from, to } of rowRanges.excess) {
    const excess = createValueSums()
    await count([from, to], excess.add)
    for (const dimension of dimensionNames.keys()) {
      for (const [value, { scans, firsts }] of excess.of(dimension))
        sums.subtract(dimension, value, scans, firsts, counted(day, dimension, value))
    }
  }
}

/**
 * Counts raw scans by value, for each dimension. Each row is read once and counted here: SQLite would read and sort all rows
 * for each dimension. An iterator, because a link may have any number of rows.
 */
function createRawCounter({ db }: Db, { pause }: Counting, audience: Audience) {
  const read = prepareArrays<number[]>(
    db,
    `select first, ${dimensionNames.join(', ')} from scans where link_id = ? and at >= ? and at < ? ${conditionOf[audience]}`,
  )
  return async (linkId: number, range: [from: number, to: number], add: ValueSums['add']): Promise<void> => {
    let counted = 0
    for (const [first = 0, ...values] of read.iterate(linkId, ...range)) {
      for (const [at, value] of values.entries()) add(at, value, 1, first)
      if (++counted % STEP === 0) await pause()
    }
  }
}

/** Returns a function that returns what the row of a value in the rollup of a day has. */
function createValueLookup({ db }: Db, linkId: number, audience: Audience) {
  const { scans, firsts } = columnsOf[audience]
  const find = db.prepare(
    `select ${scans} as scans, ${firsts} as firsts from daily where link_id = ? and period = ? and dimension = ? and value = ?`,
  )
  return (day: number, dimension: number, value: number): CountOfValue =>
    (find.get(linkId, day, dimension, value) as CountOfValue | undefined) ?? { scans: 0, firsts: 0 }
}
