import { readHeader, fieldOf, type Mapping } from '../../tables/link-columns.ts'
import type { TableRecord } from '../../tables/records.ts'

/** How a table is read. */
export interface TableLayout {
  mapping: Mapping
  hasHeader: boolean
}

/** Rows that are looked at to guess what a column holds, and columns that are looked at. */
const SAMPLE = 20
const MAX_COLUMNS = 256

/** Guesses what the columns hold: by their names in the first line, otherwise by what stands in them. */
export function guessLayout(records: readonly TableRecord[]): TableLayout {
  const first = (records[0]?.cells ?? []).slice(0, MAX_COLUMNS)
  const hasHeader = first.some((name) => fieldOf(name) !== undefined) && !first.some(isAddress)
  const sample = records.slice(hasHeader ? 1 : 0, SAMPLE).map(({ cells }) => cells)
  // A column may begin after the first line.
  const width = Math.min(MAX_COLUMNS, Math.max(first.length, ...sample.map((cells) => cells.length)))
  const named = hasHeader ? readHeader(first).mapping : []
  const mapping: Mapping = Array.from({ length: width }, (_, at) => named[at])
  if (!mapping.includes('target')) {
    const column = columnOfAddresses(sample, mapping)
    if (column !== undefined) mapping[column] = 'target'
  }
  return { mapping, hasHeader }
}

function columnOfAddresses(rows: readonly (readonly string[])[], mapping: Mapping): number | undefined {
  const counts = mapping.map((field, at) =>
    field === undefined ? rows.filter((cells) => isAddress(cells[at] ?? '')).length : 0,
  )
  const most = Math.max(0, ...counts)
  return most === 0 ? undefined : counts.indexOf(most)
}

function isAddress(cell: string): boolean {
  return /^\s{0,10}(?:https?:\/\/|www\.)/i.test(cell)
}
