import { CsvError, parse } from 'csv-parse/sync'
import type { Options } from 'csv-parse'
import { findLayout, type Layout } from './delimiter.ts'
import type { TableRecord } from './records.ts'
import { TableError } from './table-error.ts'

/** Bytes of one row: twice what fits into its fields. */
export const MAX_ROW_BYTES = 16_384

/**
 * The options with which every reader parses: RFC 4180, with the line ends of all systems. As spreadsheets do, it takes a
 * quotation mark inside a cell for a character of it, and skips empty rows. Blanks belong to their cell.
 */
export function csvOptions({ delimiter, headerLine }: Layout): Options & { info: true } {
  return {
    bom: true,
    delimiter,
    from_line: headerLine,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    max_record_size: MAX_ROW_BYTES,
    info: true,
  }
}

/** A record as the parser returns it. */
export interface ParsedRecord {
  record: string[]
  info: { lines: number }
}

export const toRecord = ({ record, info }: ParsedRecord): TableRecord => ({ cells: record, line: info.lines })

/**
 * Parses the records of a text, without its empty lines.
 * @param options.isKnown whether a name of a column is known, to find the delimiter
 * @param options.to the last record that is read
 * @param options.maxRow bytes of the longest row
 * @throws {TableError}
 */
export function readCsvRecords(
  text: string,
  { isKnown, to, maxRow = MAX_ROW_BYTES }: { isKnown?: (name: string) => boolean; to?: number; maxRow?: number } = {},
): TableRecord[] {
  const options = { ...csvOptions(findLayout(text, isKnown)), max_record_size: maxRow, ...(to !== undefined && { to }) }
  try {
    return (parse(text, options) as unknown as ParsedRecord[]).map(toRecord)
  } catch (error) {
    throw error instanceof CsvError ? tableError(error, maxRow) : error
  }
}

/** The parser's own messages name its options, which people do not know. */
export function tableError(error: CsvError, maxRow: number = MAX_ROW_BYTES): TableError {
  const { code, message } = error
  const line = Number(/\bline (\d{1,15})/.exec(message)?.[1] ?? Number.NaN)
  const fault = (code: 'long_row' | 'open_quote' | 'unreadable', text: string) =>
    new TableError(code, text, { cause: error, ...(Number.isSafeInteger(line) && { line }) })
  if (code === 'CSV_MAX_RECORD_SIZE')
    return fault('long_row', `has a row longer than ${maxRow} bytes, or a quote that is not closed`)
  if (code === 'CSV_QUOTE_NOT_CLOSED') return fault('open_quote', `has a quote that is not closed, in line ${line}`)
  return fault('unreadable', `has text after a closing quote, in line ${line}`)
}
