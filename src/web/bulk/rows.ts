import { fieldNames } from '../../tables/link-columns.ts'
import { withScheme } from '../../lib/with-scheme.ts'
import {
  faultOfRecord,
  toLinkBody,
  toLinkRow,
  withoutOuterBlanks,
  type LinkRow,
  type RecordFault,
  type TableRecord,
} from '../../tables/records.ts'
import type { TableLayout } from './columns.ts'

/** A row of a table, and why it cannot be used as it is. */
export interface ReadRow {
  cells: LinkRow
  fault: RecordFault | undefined
}

/** The rows of a table, without empty ones. */
export function toRows(records: readonly TableRecord[], { mapping, hasHeader }: TableLayout): ReadRow[] {
  const names = hasHeader ? (records[0]?.cells ?? []) : []
  return records
    .slice(hasHeader ? 1 : 0)
    .map((record) => ({ cells: toLinkRow(record.cells, mapping), fault: faultOfRecord(record, names, mapping) }))
    .filter(({ cells, fault }) => Object.keys(cells).length > 0 || fault !== undefined)
}

/** The body of the creation of a row's link, as the API takes it: people often leave out the scheme, and leave blanks. */
export function bodyOf(row: LinkRow): Record<string, unknown> {
  const filled = fieldNames.filter((name) => row[name]?.trim()).map((name) => [name, row[name]])
  const cells = withoutOuterBlanks(Object.fromEntries(filled) as LinkRow)
  return toLinkBody({ ...cells, ...(cells.target !== undefined && { target: withScheme(cells.target) }) })
}
