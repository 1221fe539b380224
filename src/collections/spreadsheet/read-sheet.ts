import { invalidRequest, Problem } from '../../http/problem.ts'
import { rowsProblem } from '../../http/body.ts'
import { yieldEvery } from '../../lib/yield-every.ts'
import { parseRecords, type CsvBounds } from '../../links/bulk/csv-records.ts'
import { findLayout } from '../../tables/delimiter.ts'
import { describeFault, faultOfRecord } from '../../tables/records.ts'
import type { TableError } from '../../tables/table-error.ts'
import { MAX_LINKS } from '../bounds.ts'
import { changeable, columnOf, columns, type Cells, type Column } from './columns.ts'

/** As many rows as a collection may have links, with some columns of the person's own. */
const bounds: CsvBounds = { rows: MAX_LINKS, lines: 40_000, cells: 250_000 }

/** How long others may wait while rows are read, in milliseconds. */
const SLICE_MS = 5

/** Characters of the header; the known columns need 110. */
const MAX_HEADER = 1_000

/**
 * Reads the rows of a links.csv, as it was downloaded or as a spreadsheet has saved it.
 * @param onUnknown called with the names of the columns that are not known, if there are any
 * @returns the cells of each row, or why it cannot be used
 * @throws {Problem} 400 when the CSV is malformed, has too many rows or none, or its header names no link or nothing to change
 */
export async function readSheet(text: string, onUnknown: (names: string[]) => void): Promise<(Cells | Problem)[]> {
  const [line = ''] = /[^\r\n]+/.exec(text) ?? []
  if (line.length > MAX_HEADER) throw refuse(`must have a header of at most ${MAX_HEADER} characters`)
  const layout = findLayout(text, (name) => columnOf(name) !== undefined)
  const [header, ...records] = await parseRecords(text, layout, refuse, bounds)
  const names = header?.cells ?? []
  const mapping = readHeader(names)
  const unknown = names.filter((name, at) => mapping[at] === undefined && name.trim() !== '')
  if (unknown.length > 0) onUnknown(unknown)
  if (records.length === 0) throw rowsProblem(bounds.rows, 'none')
  if (records.length > bounds.rows) throw rowsProblem(bounds.rows, `more than ${bounds.rows}`)
  const pause = yieldEvery(SLICE_MS)
  const rows: (Cells | Problem)[] = []
  for (const record of records) {
    const fault = faultOfRecord(record, names, [])
    rows.push(fault === undefined ? cellsOf(record, mapping) : new Problem('malformed_csv', describeFault(fault)))
    await pause()
  }
  return rows
}

function cellsOf({ cells }: { cells: string[] }, mapping: (Column | undefined)[]): Cells {
  return Object.fromEntries(mapping.flatMap((column, at) => (column ? [[column, cells[at] ?? '']] : [])))
}

function readHeader(names: string[]): (Column | undefined)[] {
  const mapping = names.map(columnOf)
  const known = mapping.filter((column) => column !== undefined)
  if (!known.includes('code') || !known.some((column) => changeable.includes(column))) {
    throw refuse(
      `must begin with a header that names the column "code" and at least one of ${changeable.join(', ')}; a file from links.csv has ${columns.join(', ')}`,
    )
  }
  if (new Set(known).size < known.length) throw refuse('names a column twice')
  return mapping
}

function refuse(detail: string, cause?: TableError): Problem {
  if (cause === undefined) return invalidRequest([{ pointer: '', detail: `the CSV ${detail}` }])
  return new Problem('malformed_csv', `the CSV ${detail}`, { errors: [{ pointer: '', detail }], cause })
}
