import { writeRecords } from '../../lib/csv.ts'
import { splitCity } from '../sqlite/dictionary.ts'
import type { Cursor, RowQueries, ScanRow } from './row-queries.ts'
import { dimensions, LINK_ITSELF } from '../warehouse-schema.ts'

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
export async function readPage(queries: RowQueries, linkId: number, after: Cursor, limit: number): Promise<Page> {
  const rows = await queries.page(linkId, after, limit)
  const textOf = await queries.texts(valuesOf(rows))
  const text = (id: number) => textOf(id) ?? ''
  const cells = rows.map((row) => [
    new Date(row.at).toISOString(),
    text(row.source),
    text(row.device),
    text(row.os),
    text(row.browser),
    text(row.country),
    splitCity(text(row.city)).city ?? '',
    text(row.referrer),
    String(row.first === 1),
    String(row.bot === 1),
    text(row.answer) || LINK_ITSELF,
  ])
  const last = rows.at(-1)
  return {
    csv: writeRecords(cells),
    next: last === undefined || rows.length < limit ? undefined : { at: last.at, n: last.n },
  }
}

function* valuesOf(rows: ScanRow[]): Generator<number> {
  for (const row of rows) for (const dimension of dimensions) yield row[dimension]
}
