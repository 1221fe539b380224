import { readText } from '../../dimensions/cells.ts'
import { dimensionNames, dimensions, type DimensionName, type Values } from '../../dimensions/dimensions.ts'
import { restoreCell } from '../../lib/csv.ts'
import { dateOfDay, dateOfMonth, dayOf, monthOf, slotOf, startOfSlot } from '../calendar.ts'
import type { Counts } from '../folding/increments.ts'
import type { FoldedScan } from '../scan.ts'
import type { TableName } from '../statistics/export.ts'
import { scansTable } from '../statistics/export-scans.ts'

/** The counts of a quarter of an hour. */
export interface ImportedSlot {
  slot: number
  counts: Counts
}

/** The counts of a value in a UTC day or month. */
export interface ImportedValue {
  period: number
  /** The number of the dimension. */
  dimension: number
  /** Null when it is unknown. */
  text: string | null
  counts: Counts
}

/** A scan without its link. */
export type ImportedScan = Omit<FoldedScan, 'linkId'>

/** Rows of one table of a bundle. */
export type TableRows =
  | { table: 'quarterHours'; rows: ImportedSlot[] }
  | { table: 'days' | 'months'; rows: ImportedValue[] }
  | { table: 'scans'; rows: ImportedScan[] }

/** Visits of a row, and of all rows of a bundle: sums of many links stay exact, and SQLite's numbers readable. */
export const MAX_COUNT = 1e12
/** How far the clock of the service that has recorded the scans may be ahead. */
export const CLOCK_SKEW_MS = 3_600_000

/**
 * Reads records of a table, as an export has written them.
 * @param now after which nothing was counted
 * @throws {Error} that names the column of the first wrong value
 */
export function readRecords(table: TableName, records: readonly string[][], now: number): TableRows {
  const cells = records.map((record) => record.map(restoreCell))
  if (table === 'quarterHours') return { table, rows: cells.map((record) => readSlot(record, now)) }
  if (table === 'scans') return { table, rows: cells.map((record) => readScan(record, now)) }
  return { table, rows: cells.map((record) => readValue(table, record, now)) }
}

function readSlot([start = '', ...counts]: string[], now: number): ImportedSlot {
  const at = readTime('starts_at', start, now)
  if (startOfSlot(slotOf(at)) !== at) throw new Error('starts_at must be the begin of a quarter of an hour')
  return { slot: slotOf(at), counts: readCounts(counts) }
}

const periods = {
  days: { column: 'day', periodOf: dayOf, dateOf: dateOfDay },
  months: { column: 'month', periodOf: monthOf, dateOf: dateOfMonth },
}

function readValue(table: keyof typeof periods, record: string[], now: number): ImportedValue {
  const [date = '', name = '', value = '', country = '', ...counts] = record
  const { column, periodOf, dateOf } = periods[table]
  const period = periodOf(readTime(column, date, now))
  // February has no 30th day, which would be read as one of March.
  if (dateOf(period) !== date) throw new Error(`${column} must be a ${column} such as ${dateOf(period)}`)
  const at = dimensions.findIndex((dimension) => dimension.name === name)
  const dimension = dimensions[at]
  if (dimension === undefined) throw new Error(`dimension must be one of ${dimensionNames.join(', ')}`)
  // Of visits that another service has counted nothing is known, also where each scan has a value.
  const isUnknown = value === '' && dimension.rest === undefined
  const read = isUnknown ? null : dimension.parse('value', value)
  const text = dimension.text(read, { country: readText('country', country) })
  return { period, dimension: at, text, counts: readCounts(counts) }
}

/** The columns of `scans.csv`, as `export-scans.ts` has them. */
const places = new Map(scansTable.columns.map((column, at) => [column, at]))

function readScan(record: string[], now: number): ImportedScan {
  const cellOf = (column: string) => record[places.get(column) ?? -1] ?? ''
  const values: Partial<Record<DimensionName, unknown>> = {}
  for (const { name, rest, parse } of dimensions) {
    const cell = cellOf(name)
    values[name] = cell === rest ? null : parse(name, cell)
  }
  return {
    ...(values as Values),
    at: readTime('scanned_at', cellOf('scanned_at'), now),
    first: readBoolean('unique', cellOf('unique')),
    bot: readBoolean('bot', cellOf('bot')),
    visitor: null,
  }
}

function readTime(column: string, text: string, now: number): number {
  const at = /^\d{4}-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (at >= 0 && at <= now + CLOCK_SKEW_MS) return at
  throw new Error(`${column} must be a time (ISO 8601) from 1970 until now`)
}

const countColumns = ['humans', 'unique_humans', 'bots', 'unique_bots'] as const

function readCounts(texts: string[]): Counts {
  const counts = countColumns.map((column, at) => {
    const text = texts[at] ?? ''
    if (/^\d{1,13}$/.test(text) && Number(text) <= MAX_COUNT) return Number(text)
    throw new Error(`${column} must be a whole number from 0 to ${MAX_COUNT}`)
  }) as Counts
  if (counts[1] > counts[0] || counts[3] > counts[2]) throw new Error('unique visitors must not be more than scans')
  // No export has such rows, of which any number could stand beside few visits.
  if (counts[0] + counts[2] === 0) throw new Error('humans and bots must not both be 0')
  return counts
}

function readBoolean(column: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new Error(`${column} must be true or false`)
}
