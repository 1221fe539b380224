import { CsvError, parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { invalidRequest, Problem } from '../http/problem.ts'
import { MAX_ROWS, type BulkResult, type RowResult } from './bulk.ts'

/** What a row of a CSV can say. */
const columns = ['alias', 'target', 'title', 'campaign']
const delimiters = [',', ';', '\t']

const answered = ['code', 'short_url', 'qr_png', 'qr_svg', 'manage_url', 'token'] as const

/**
 * The rows of a CSV (RFC 4180) as bodies of single creations: an empty cell is an absent field, empty lines are skipped.
 * Columns are told apart by commas, semicolons or tabs, whichever makes the header one.
 * @param pointer where the text stands in the request, for the errors
 * @throws {Problem} 400 for what is no CSV, or whose header is not ours
 */
export function readCsv(text: string, pointer: string): (object | Problem)[] {
  const [header = [], ...records] = parseRecords(text)
  const names = header.map((name) => name.trim().toLowerCase())
  const fault = headerFault(names)
  if (fault !== undefined) throw invalidRequest([{ pointer, detail: fault }])
  return records.map((cells) => {
    if (cells.length !== names.length) {
      return new Problem('malformed_csv', `the row has ${cells.length} cells, the header ${names.length}`)
    }
    return Object.fromEntries(names.map((name, at) => [name, cells[at]]).filter(([, cell]) => cell !== ''))
  })
}

function parseRecords(text: string): string[][] {
  try {
    return parse(text, {
      bom: true,
      delimiter: delimiterOf(text),
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      to: MAX_ROWS + 2,
    })
  } catch (error) {
    if (error instanceof CsvError) throw new Problem('malformed_csv', lowerFirst(error.message), { cause: error })
    throw error
  }
}

/** The one that splits the first line into most of our columns. */
function delimiterOf(text: string): string {
  const [line = ''] = /[^\r\n]+/.exec(text) ?? []
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

function headerFault(names: string[]): string | undefined {
  const unknown = names.filter((name) => !columns.includes(name))
  if (!names.includes('target')) {
    return `must begin with a header that names the column "target", and may name ${columns.join(', ')}`
  }
  if (unknown.length > 0) return `has unknown columns: ${unknown.map((name) => `"${name}"`).join(', ')}`
  if (new Set(names).size < names.length) return 'names a column twice'
  return undefined
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}

/** The result as CSV (RFC 4180), a line for each row. A cell that a spreadsheet would take for a formula gets an apostrophe in front. */
export function writeCsv(rows: unknown[], { results }: Pick<BulkResult, 'results'>): string {
  const lines = results.map((result, at) => [
    String(result.index),
    ...columns.map((name) => textOf(rows[at], name)),
    ...answered.map((name) => ('code' in result ? result[name] : '')),
    faultOf(result),
  ])
  const header = ['index', ...columns, ...answered, 'error']
  return stringify([header, ...lines], { record_delimiter: 'windows', escape_formulas: true })
}

function textOf(row: unknown, name: string): string {
  const value =
    typeof row === 'object' && row !== null && Object.hasOwn(row, name) ? (row as Record<string, unknown>)[name] : ''
  return typeof value === 'string' ? value : ''
}

function faultOf(result: RowResult): string {
  return 'error' in result ? `${result.error.code}: ${result.error.detail}` : ''
}
