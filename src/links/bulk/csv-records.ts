import { finished } from 'node:stream/promises'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { CsvError, parse, type Options } from 'csv-parse'
import type { Problem } from '../../http/problem.ts'
import { shorten } from '../../lib/shorten.ts'
import { MAX_ROWS } from './bulk.ts'

/** Counts empty lines and the cells of empty rows too: spreadsheets write many. */
const MAX_LINES = 20_000
const MAX_CELLS = 100_000
/** Bytes of one row: twice what fits into its fields. */
const MAX_ROW_BYTES = 16_384
/** Bytes that are parsed before the event loop runs again. */
const SLICE = 8 * 1024

const [QUOTE, LF, CR] = [0x22, 0x0a, 0x0d]

const options: Options = {
  bom: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  skip_empty_lines: true,
  skip_records_with_empty_values: true,
  max_record_size: MAX_ROW_BYTES,
}

/** Returns what is thrown. @param cause the error of the parser, if there is one */
export type Refuse = (detail: string, cause?: CsvError) => Problem

/**
 * Parses the records of a CSV (RFC 4180) in slices, without its empty lines: at most one more than a header and the rows of
 * a request.
 */
export async function parseRecords(text: string, delimiter: string, refuse: Refuse): Promise<string[][]> {
  const records: string[][] = []
  // The header, the rows, and one row too many. The parser's own `to` option ends it while it is still being written to.
  const hasEnough = () => records.length >= MAX_ROWS + 2
  const parser = parse({ ...options, delimiter }).on('data', (record: string[]) => records.push(record))
  const parsed = finished(parser)
  // It is awaited at the end, and may reject before.
  parsed.catch(() => {})
  try {
    for await (const slice of slicesOf(Buffer.from(text), delimiter.charCodeAt(0), refuse)) {
      if (parser.destroyed || hasEnough()) break
      parser.write(slice)
    }
    if (hasEnough()) return records
    parser.end()
    await parsed
    return records
  } catch (error) {
    if (error instanceof CsvError) throw refuse(describe(error), error)
    throw error
  } finally {
    parser.destroy()
  }
}

/** Counts the lines and cells of each slice before it is parsed, and yields to the event loop between slices. */
async function* slicesOf(bytes: Buffer, separator: number, refuse: Refuse): AsyncGenerator<Buffer> {
  let lines = 1
  let cells = 1
  let isQuoted = false
  let before = 0
  for (let from = 0; from < bytes.length; from += SLICE) {
    const slice = bytes.subarray(from, from + SLICE)
    for (const byte of slice) {
      if (byte === QUOTE) isQuoted = !isQuoted
      else if (!isQuoted && byte === separator) cells++
      // CRLF is one line end.
      else if (!isQuoted && (byte === CR || (byte === LF && before !== CR))) lines++
      before = byte
    }
    if (lines > MAX_LINES) throw refuse(`must hold at most ${MAX_LINES} lines`)
    if (cells > MAX_CELLS) throw refuse(`must hold at most ${MAX_CELLS} cells`)
    yield slice
    await yieldToLoop()
  }
}

/** The parser's own messages name its options, which clients do not know. */
function describe({ code, message }: CsvError): string {
  if (code === 'CSV_MAX_RECORD_SIZE')
    return `has a row longer than ${MAX_ROW_BYTES} bytes, or a quote that is not closed`
  if (code === 'CSV_QUOTE_NOT_CLOSED') return `has a quote that is not closed, in line ${message.split(' ').at(-1)}`
  return `cannot be read: ${shorten(message)}`
}
