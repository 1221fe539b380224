import { finished } from 'node:stream/promises'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import type { Problem } from '../../http/problem.ts'
import { csvOptions, tableError, toRecord, type ParsedRecord } from '../../tables/csv.ts'
import type { Layout } from '../../tables/delimiter.ts'
import type { TableRecord } from '../../tables/records.ts'
import type { TableError } from '../../tables/table-error.ts'
import { MAX_ROWS } from './bulk.ts'

/** What a CSV may hold. Empty lines and the cells of empty rows count, too: spreadsheets write many. */
export interface CsvBounds {
  /** Without the header. */
  rows: number
  lines: number
  cells: number
}

const creations: CsvBounds = { rows: MAX_ROWS, lines: 20_000, cells: 100_000 }
/** Bytes that are parsed before the event loop runs again. */
const SLICE = 8 * 1024

const [QUOTE, LF, CR, BLANK] = [0x22, 0x0a, 0x0d, 0x20]

/** Returns what is thrown. @param cause the error of the parser, if there is one */
export type Refuse = (detail: string, cause?: TableError) => Problem

/**
 * Parses the records of a CSV (RFC 4180) in slices, without its empty lines: at most one more than a header and the rows of
 * a request.
 * @param bounds those of rows that create links, unless others are given
 */
export async function parseRecords(
  text: string,
  layout: Layout,
  refuse: Refuse,
  bounds: CsvBounds = creations,
): Promise<TableRecord[]> {
  const records: TableRecord[] = []
  // The header, the rows, and one row too many. The parser's own `to` option ends it while it is still being written to.
  const hasEnough = () => records.length >= bounds.rows + 2
  const parser = parse(csvOptions(layout)).on('data', (record: ParsedRecord) => records.push(toRecord(record)))
  const parsed = finished(parser)
  // It is awaited at the end, and may reject before.
  parsed.catch(() => {})
  try {
    for await (const slice of slicesOf(Buffer.from(text), layout.delimiter, refuse, bounds)) {
      if (parser.destroyed || hasEnough()) break
      parser.write(slice)
    }
    if (hasEnough()) return records
    parser.end()
    await parsed
    return records
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const fault = tableError(error)
    throw refuse(fault.message, fault)
  } finally {
    parser.destroy()
  }
}

/** Counts the lines and cells of each slice before it is parsed, and yields to the event loop between slices. */
async function* slicesOf(
  bytes: Buffer,
  delimiter: string,
  refuse: Refuse,
  most: Pick<CsvBounds, 'lines' | 'cells'>,
): AsyncGenerator<Buffer> {
  const counter = createCounter(delimiter.charCodeAt(0))
  for (let from = 0; from < bytes.length; from += SLICE) {
    const slice = bytes.subarray(from, from + SLICE)
    const { lines, cells } = counter(slice)
    if (lines > most.lines) throw refuse(`must hold at most ${most.lines} lines`)
    if (cells > most.cells) throw refuse(`must hold at most ${most.cells} cells`)
    yield slice
    await yieldToLoop()
  }
}

/** Counts outside of quotes, which begin where a cell does: elsewhere a quotation mark is a character. */
function createCounter(separator: number): (slice: Buffer) => { lines: number; cells: number } {
  const ends = new Set([separator, CR, LF])
  let [lines, cells] = [1, 1]
  let isQuoted = false
  let canBegin = true
  let before = 0
  const count = (byte: number) => {
    if (byte === separator) cells++
    // CRLF is one line end.
    else if (byte === CR || (byte === LF && before !== CR)) lines++
  }
  return (slice) => {
    for (const byte of slice) {
      const isQuote = byte === QUOTE
      if (isQuoted) isQuoted = !isQuote
      else if (isQuote) isQuoted = canBegin || before === QUOTE
      else count(byte)
      canBegin = !isQuoted && (ends.has(byte) || (canBegin && byte === BLANK))
      before = byte
    }
    return { lines, cells }
  }
}
