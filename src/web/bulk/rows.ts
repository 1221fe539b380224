import { withScheme } from '../../lib/with-scheme.ts'
import { fieldNames, type FieldName, type TableLayout } from './columns.ts'

/** The cells of a row by field; an absent one is empty. */
export type Row = Partial<Record<FieldName, string>>

/** The rows of a table, without empty ones. */
export function toRows(records: readonly (readonly string[])[], { mapping, hasHeader }: TableLayout): Row[] {
  return records
    .slice(hasHeader ? 1 : 0)
    .map((cells) => toRow(cells, mapping))
    .filter((row) => Object.keys(row).length > 0)
}

/** A row of a table: surplus cells are not used. */
export function toRow(cells: readonly string[], mapping: TableLayout['mapping']): Row {
  const row: Row = {}
  for (const [at, field] of mapping.entries()) {
    const cell = cells[at]?.trim() ?? ''
    if (field !== undefined && cell !== '') row[field] = cell
  }
  return row
}

/** The body of the creation of a row's link, as the API takes it. */
export function bodyOf(row: Row): Record<string, unknown> {
  const filled = fieldNames.flatMap((name) => {
    const cell = row[name]?.trim() ?? ''
    return cell === '' ? [] : [[name, name === 'target' ? withScheme(cell) : cell] as const]
  })
  const plain = filled.filter(([name]) => !name.startsWith('utm_'))
  const utm = filled.filter(([name]) => name.startsWith('utm_'))
  return { ...Object.fromEntries(plain), ...(utm.length > 0 && { utm: Object.fromEntries(utm) }) }
}
