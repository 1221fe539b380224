import { writeRecords } from '../../lib/csv.ts'
import { scansTable } from './export-scans.ts'
import type { Cursor, RowQueries, CountsRow, ValueTable } from './row-queries.ts'
import { dimensions } from '../../dimensions/dimensions.ts'
import { dateOfDay, dateOfMonth, startOfSlot } from '../calendar.ts'
import type { Cell, ExportTable } from './export-table.ts'

const countColumns = ['humans', 'unique_humans', 'bots', 'unique_bots']
const countsOf = ({ humans, human_firsts, bots, bot_firsts }: CountsRow) =>
  [humans, human_firsts, bots, bot_firsts].map(String)

/** Counts by quarter of an hour; a quarter without scans has no row. */
const quarterHoursTable: ExportTable = {
  columns: ['starts_at', ...countColumns],
  async read(queries, linkId, after, limit) {
    const rows = await queries.slotsAfter(linkId, after, limit)
    return rows.map((row) => ({
      key: [row.slot],
      cells: [new Date(startOfSlot(row.slot)).toISOString(), ...countsOf(row)],
    }))
  },
}

/**
 * Counts by value of each dimension, of UTC days or months. A month is not the sum of its days where one of them has more
 * values than are counted apart.
 */
function valuesTable(table: ValueTable, period: string, dateOf: (period: number) => string): ExportTable {
  return {
    columns: [period, 'dimension', 'value', 'country', ...countColumns],
    async read(queries, linkId, after, limit) {
      const rows = await queries.valuesAfter(table, linkId, after, limit)
      const textOf = await queries.texts(rows.map(({ value }) => value))
      return rows.map((row) => ({
        key: [row.period, row.dimension, row.value],
        cells: [dateOf(row.period), ...valueCells(row.dimension, textOf(row.value)), ...countsOf(row)],
      }))
    },
  }
}

/** The name of the dimension, the value, and the country if it is a city; an unknown value is empty. */
function valueCells(at: number, text: string | null): string[] {
  const dimension = dimensions[at]
  const { value, country } = dimension?.tell(text) ?? { value: text }
  return [dimension?.name ?? '', value ?? '', country ?? '']
}

const daysTable = valuesTable('daily', 'day', dateOfDay)
const monthsTable = valuesTable('monthly', 'month', dateOfMonth)

/** The tables of a link, in the order in which an import needs them: the totals come with the quarters of an hour. */
export const exportedTables = {
  quarterHours: quarterHoursTable,
  days: daysTable,
  months: monthsTable,
  scans: scansTable,
}
export type TableName = keyof typeof exportedTables

/** A table as CSV, or the scans as one JSON object in each line, with the columns of the table. */
export type ExportName = TableName | 'scansNdjson'

const NDJSON = 'scansNdjson'

export interface Page {
  text: string
  /** Undefined on the last page. */
  next: Cursor | undefined
}

/** The first column of a table that has the rows of several links. */
const CODE = 'code'

/**
 * What comes before the first row.
 * @param hasCode whether the first column is the code of the link
 */
export function headOf(name: ExportName, hasCode = false): string {
  return name === NDJSON ? '' : `${columnsOf(exportedTables[name], hasCode).join()}\r\n`
}

const columnsOf = ({ columns }: ExportTable, hasCode: boolean) => (hasCode ? [CODE, ...columns] : columns)

/** The rows that are exported. */
export interface Exported {
  name: ExportName
  linkId: number
  /** Of the link, to be written in a first column; undefined for a table that has none. */
  code?: string | undefined
}

/**
 * Reads a page of a table. As CSV (RFC 4180), a cell that a spreadsheet would execute as a formula gets an apostrophe in
 * front.
 */
export async function readPage(
  queries: RowQueries,
  { name, linkId, code }: Exported,
  after: Cursor,
  limit: number,
): Promise<Page> {
  const table = exportedTables[name === NDJSON ? 'scans' : name]
  const rows = await table.read(queries, linkId, after, limit)
  const cells = rows.map((row) => (code === undefined ? row.cells : [code, ...row.cells]))
  const columns = columnsOf(table, code !== undefined)
  const text = name === NDJSON ? cells.map((row) => lineOf(columns, row)).join('') : writeRecords(cells.map(textsOf))
  return { text, next: rows.length < limit ? undefined : rows.at(-1)?.key }
}

const textsOf = (cells: readonly Cell[]) => cells.map((cell) => String(cell ?? ''))

function lineOf(columns: string[], cells: readonly Cell[]): string {
  return `${JSON.stringify(Object.fromEntries(columns.map((column, at) => [column, cells[at]])))}\n`
}
