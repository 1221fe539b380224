import { finished } from 'node:stream/promises'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { CsvError, parse, type Options } from 'csv-parse'
import { shorten } from '../lib/shorten.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { MAX_ROWS } from './bulk.ts'

/** The columns of a CSV. */
export const columns = ['alias', 'target', 'title', 'campaign']
const delimiters = [',', ';', '\t']

/** Characters of the first line; the known columns need 28. */
const MAX_HEADER = 1_000
/** Counts empty lines and the cells of empty rows too: spreadsheets write many. */
const MAX_LINES = 20_000
const MAX_CELLS = 100_000
/** Bytes of one row: twice what fits into its fields. */
const MAX_ROW_BYTES = 16_384
/** Unknown columns that the error names. */
const MAX_NAMED = 10
/** Bytes that are parsed before the event loop runs again. */
const SLICE = 8 * 1024

/**
 * Parses a CSV (RFC 4180) into bodies of single creations: an empty cell is an absent field, empty lines are skipped.
 * The delimiter is the comma, semicolon or tab that yields most known columns in the header.
 * @param pointer the position of the text in the request, for the errors
 * @throws {Problem} 400 when the CSV is malformed or too large, or its header is invalid
 */
export async function readCsv(text: string, pointer: string): Promise<(object | Problem)[]> {
  const [line = ''] = /[^\r\n]+/.exec(text) ?? []
  const delimiter = delimiterOf(line.slice(0, MAX_HEADER))
  const refuse = (detail: string, cause?: CsvError) => {
    if (cause === undefined) return invalidRequest([{ pointer, detail }])
    const where = pointer === '' ? 'the CSV' : pointer
    return new Problem('malformed_csv', `${where} ${detail}`, { errors: [{ pointer, detail }], cause })
  }
  if (line.length > MAX_HEADER) throw refuse(`must have a header of at most ${MAX_HEADER} characters`)
  const [header = [], ...records] = await parseRecords(text, delimiter, refuse)
  const names = header.map((name) => name.trim().toLowerCase())
  const headerError = validateHeader(names)
  if (headerError !== undefined) throw refuse(headerError)
  return records.map((cells) => {
    if (cells.length !== names.length) {
      return new Problem('malformed_csv', `the row has ${cells.length} cells, the header ${names.length}`)
    }
    return Object.fromEntries(names.map((name, at) => [name, cells[at]]).filter(([, cell]) => cell !== ''))
  })
}

const [QUOTE, LF, CR] = [0x22, 0x0a, 0x0d]

const options: Options = {
  bom: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  skip_empty_lines: true,
  skip_records_with_empty_values: true,
  max_record_size: MAX_ROW_BYTES,
}

/** @param cause the error of the parser, if there is one */
type Refuse = (detail: string, cause?: CsvError) => Problem

async function parseRecords(text: string, delimiter: string, refuse: Refuse): Promise<string[][]> {
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

/** The delimiter that splits the first line into most known columns. */
function delimiterOf(line: string): string {
  const known = (delimiter: string) =>
    line.split(delimiter).filter((name) =>
      columns.includes(
        name
          .replace(/["\uFEFF]/g, '')
          .trim()
          .toLowerCase(),
      ),
    ).length
  return delimiters.toSorted((a, b) => known(b) - known(a))[0] ?? ','
}

function validateHeader(names: string[]): string | undefined {
  const unknown = names.filter((name) => !columns.includes(name))
  if (!names.includes('target')) {
    return `must begin with a header that names the column "target", and may name ${columns.join(', ')}`
  }
  if (unknown.length > 0) {
    const named = unknown.slice(0, MAX_NAMED).map((name) => `"${shorten(name)}"`)
    const more = unknown.length > MAX_NAMED ? ` and ${unknown.length - MAX_NAMED} more` : ''
    return `has unknown columns: ${named.join(', ')}${more}`
  }
  if (new Set(names).size < names.length) return 'names a column twice'
  return undefined
}
