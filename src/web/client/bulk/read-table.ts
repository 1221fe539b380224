import { CsvError, parse } from 'csv-parse/browser/esm/sync'
import { guessDelimiter, guessLayout, type TableLayout } from '../../bulk/columns.ts'
import { csvProblem, type ProblemTexts } from '../../bulk/csv-problem.ts'
import { fillText } from '../../../lib/fill-text.ts'
import { toRows } from '../../bulk/rows.ts'
import type { GridRow } from './state.ts'

/** Rows of one list: ten requests. */
export const MAX_LIST_ROWS = 5_000
/** Bytes of a file, and characters of a text. */
export const MAX_LIST_SIZE = 4 * 1024 * 1024

export interface Table {
  records: string[][]
  layout: TableLayout
  /** Whether there are more rows than were read. */
  isCut: boolean
}

/** Reads a list (RFC 4180, or with semicolons or tabs). @returns the error in people's words when it cannot be read */
export function readTable(text: string, texts: ProblemTexts): Table | string {
  if (text.length > MAX_LIST_SIZE) return fillText(texts.tooLarge, { size: '4 MB' })
  try {
    const records = parse(text, {
      bom: true,
      delimiter: guessDelimiter(text),
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      max_record_size: 16_384,
      // The header, the rows, and one row too many.
      to: MAX_LIST_ROWS + 2,
    })
    if (records.length === 0) return texts.empty
    const layout = guessLayout(records)
    const max = MAX_LIST_ROWS + (layout.hasHeader ? 1 : 0)
    return { records: records.slice(0, max), layout, isCut: records.length > max }
  } catch (error) {
    if (error instanceof CsvError) return csvProblem(error, texts)
    throw error
  }
}

/** The rows of the grid of a table. */
export function gridRows({ records, layout }: Pick<Table, 'records' | 'layout'>): GridRow[] {
  return toRows(records, layout).map((cells, id) => ({ id, cells, state: 'new' }))
}
