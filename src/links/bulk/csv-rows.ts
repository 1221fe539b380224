import type { CsvError } from 'csv-parse'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { parseRecords } from './csv-records.ts'

/** The columns of a CSV. */
export const columns = ['alias', 'target', 'title', 'campaign']
const delimiters = [',', ';', '\t']

/** Characters of the first line; the known columns need 28. */
const MAX_HEADER = 1_000

/**
 * Parses a CSV (RFC 4180) into bodies of single creations: an empty cell is an absent field, empty lines are skipped, unknown columns
 * are left out. The delimiter is the comma, semicolon or tab that yields most known columns in the header.
 * @param pointer the position of the text in the request, for the errors
 * @param onUnknown called with the names of the columns that are not known, if there are any
 * @throws {Problem} 400 when the CSV is malformed or too large, or its header is invalid
 */
export async function readCsv(
  text: string,
  pointer: string,
  onUnknown: (names: string[]) => void,
): Promise<(object | Problem)[]> {
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
  const unknown = header.map((name) => name.trim()).filter((_name, at) => !isKnown(names[at]))
  if (unknown.length > 0) onUnknown(unknown)
  return records.map((cells) => {
    if (cells.length !== names.length) {
      return new Problem('malformed_csv', `the row has ${cells.length} cells, the header ${names.length}`)
    }
    const known = names.map((name, at) => [name, cells[at]]).filter(([name]) => isKnown(name))
    return Object.fromEntries(known.filter(([, cell]) => cell !== ''))
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
  if (!names.includes('target')) {
    return `must begin with a header that names the column "target", and may name ${columns.join(', ')}`
  }
  const known = names.filter(isKnown)
  return new Set(known).size < known.length ? 'names a column twice' : undefined
}

function isKnown(name: string | undefined): boolean {
  return name !== undefined && columns.includes(name)
}
