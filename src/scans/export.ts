import { writeRecords } from '../lib/csv.ts'
import type { Warehouse } from './warehouse.ts'
import { splitCity } from './dictionary.ts'
import { LINK_ITSELF } from './warehouse-schema.ts'

const columns = [
  'scanned_at',
  'source',
  'device',
  'os',
  'browser',
  'country',
  'city',
  'referrer',
  'unique',
  'bot',
  'answer',
]

/** The last row of a page, after which the next one begins. */
export interface Cursor {
  at: number
  n: number
}

export interface Page {
  csv: string
  /** Undefined on the last page. */
  next: Cursor | undefined
}

/** The first line of the export. */
export const csvHeader = `${columns.join()}\r\n`

/**
 * Reads a page of a link's raw scans, oldest first, as CSV (RFC 4180). A cell that a spreadsheet would execute as a formula
 * gets an apostrophe in front.
 */
export function readPage({ db, dictionary }: Warehouse, linkId: number, after: Cursor, limit: number): Page {
  const rows = db
    .prepare(
      `select at, n, source, device, os, browser, country, city, referrer, first, bot, answer from scans
       where link_id = ? and (at, n) > (?, ?) order by at, n limit ?`,
    )
    .all(linkId, after.at, after.n, limit) as Record<string, number>[]
  const text = (id: number | undefined) => dictionary.text(id ?? 0) ?? ''
  const cells = rows.map((row) => [
    new Date(row['at'] ?? 0).toISOString(),
    text(row['source']),
    text(row['device']),
    text(row['os']),
    text(row['browser']),
    text(row['country']),
    splitCity(text(row['city'])).city ?? '',
    text(row['referrer']),
    String(row['first'] === 1),
    String(row['bot'] === 1),
    text(row['answer']) || LINK_ITSELF,
  ])
  const last = rows.at(-1)
  return {
    csv: writeRecords(cells),
    next: last === undefined || rows.length < limit ? undefined : { at: last['at'] ?? 0, n: last['n'] ?? 0 },
  }
}
