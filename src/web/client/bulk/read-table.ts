import { fillText } from '../../../lib/fill-text.ts'
import { readCsvRecords } from '../../../tables/csv.ts'
import { decodeText, type Encoding } from '../../../tables/decode.ts'
import { isWorkbook } from '../../../tables/file-kind.ts'
import type { TableRecord } from '../../../tables/records.ts'
import { isTableError } from '../../../tables/table-error.ts'
import { guessLayout, type TableLayout } from '../../bulk/columns.ts'
import type { FaultTexts } from '../../bulk/faults.ts'
import { toRows } from '../../bulk/rows.ts'
import { recordProblem, tableProblem, type ProblemTexts } from '../../bulk/table-problem.ts'
import type { GridRow } from './state.ts'

/** Rows of one list: ten requests. */
export const MAX_LIST_ROWS = 5_000
/** Bytes of a file, and characters of a text. */
export const MAX_LIST_SIZE = 4 * 1024 * 1024

export interface Table {
  records: TableRecord[]
  layout: TableLayout
  encoding: Encoding
  /** Whether there are more rows than were read. */
  isCut: boolean
}

/** Loads the reader of workbooks, which most people never need. */
export type LoadWorkbooks = () => Promise<{ readWorkbook: (bytes: Uint8Array) => Promise<TableRecord[]> }>

/** Reads a list: a text, or the bytes of a file. @returns the error in people's words when it cannot be read */
export async function readTable(
  source: string | Uint8Array,
  texts: ProblemTexts,
  loadWorkbooks: LoadWorkbooks,
): Promise<Table | string> {
  if (source.length > MAX_LIST_SIZE) return fillText(texts.tooLarge, { size: '4 MB' })
  try {
    const { records, encoding } = await readRecords(source, loadWorkbooks)
    if (records.length === 0) return texts.empty
    const layout = guessLayout(records)
    const max = MAX_LIST_ROWS + (layout.hasHeader ? 1 : 0)
    return { records: records.slice(0, max), layout, encoding, isCut: records.length > max }
  } catch (error) {
    if (isTableError(error)) return tableProblem(error, texts)
    throw error
  }
}

async function readRecords(
  source: string | Uint8Array,
  loadWorkbooks: LoadWorkbooks,
): Promise<{ records: TableRecord[]; encoding: Encoding }> {
  if (typeof source !== 'string' && isWorkbook(source))
    return { records: await (await loadWorkbooks()).readWorkbook(source), encoding: 'utf-8' }
  const { text, encoding } =
    typeof source === 'string' ? { text: source, encoding: 'utf-8' as const } : decodeText(source)
  // The header, the rows, and one row too many.
  return { records: readCsvRecords(text, { to: MAX_LIST_ROWS + 2 }), encoding }
}

/** The rows of the grid of a table. Those that are not read whole are to be corrected before they are sent. */
export function gridRows({ records, layout }: Pick<Table, 'records' | 'layout'>, texts: FaultTexts): GridRow[] {
  return toRows(records, layout).map(({ cells, fault }, id) => {
    // Without names, what is not used was not chosen: the columns are above the rows.
    if (fault === undefined || (fault.code === 'surplus' && !layout.hasHeader)) return { id, cells, state: 'new' }
    const text = recordProblem(fault, texts)
    return { id, cells, state: 'faulty', fault: { field: 'target', text }, isPart: true }
  })
}
