import type { CsvError } from 'csv-parse'
import { shorten } from '../../lib/shorten.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { parseRecords } from './csv-records.ts'

/** The columns of a CSV. */
export const columns = ['alias', 'target', 'title', 'campaign']
const delimiters = [',', ';', '\t']

/** Characters of the first line; the known columns need 28. */
const MAX_HEADER = 1_000
/** Unknown columns that the error names. */
const MAX_NAMED = 10
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
