import { restoreCell } from '../../lib/csv.ts'
import { dateOfDay, dateOfMonth, dayOf, monthOf, slotOf, startOfSlot } from '../calendar.ts'
import type { Counts } from '../folding/increments.ts'
import type { FoldedScan, Source } from '../scan.ts'
import { joinCity } from '../texts-of-scan.ts'
import type { TableName } from '../statistics/export.ts'
import { dimensions, LINK_ITSELF, type Dimension } from '../warehouse-schema.ts'

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

/** Fits what is stored of a visit: hosts of referrers and names of cities are shorter. */
export const MAX_TEXT = 300
const MAX_COUNT = 1e12
const MAX_RULE = 20
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
  const dimension = dimensions.indexOf(name as Dimension)
  if (dimension === -1) throw new Error(`dimension must be one of ${dimensions.join(', ')}`)
  if (name === 'source') readSource(value)
  if (name === 'answer') readRule('value', value)
  const text = readText('value', value)
  const place = text === null || name !== 'city' ? text : joinCity(text, readText('country', country))
  return { period, dimension, text: place, counts: readCounts(counts) }
}

function readScan(record: string[], now: number): ImportedScan {
  const [at = '', source = '', device, os, browser, country, city, referrer, first = '', bot = '', answer = ''] = record
  return {
    at: readTime('scanned_at', at, now),
    source: readSource(source),
    device: readText('device', device),
    os: readText('os', os),
    browser: readText('browser', browser),
    country: readText('country', country),
    city: readText('city', city),
    referrer: readText('referrer', referrer),
    first: readBoolean('unique', first),
    bot: readBoolean('bot', bot),
    answer: answer === LINK_ITSELF ? null : readRule('answer', answer),
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
  return counts
}

function readText(column: string, text = ''): string | null {
  if (text.length <= MAX_TEXT && !/\p{Cc}/u.test(text) && text.isWellFormed()) return text === '' ? null : text
  throw new Error(`${column} must be at most ${MAX_TEXT} characters without control characters`)
}

function readSource(text: string): Source {
  if (text === 'qr' || text === 'link') return text
  throw new Error('source must be qr or link')
}

function readRule(column: string, text: string): number {
  if (/^[1-9]\d?$/.test(text) && Number(text) <= MAX_RULE) return Number(text)
  throw new Error(`${column} must be the number of a rule, 1 to ${MAX_RULE}`)
}

function readBoolean(column: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw new Error(`${column} must be true or false`)
}
