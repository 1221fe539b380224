import { writeRecords } from '../../lib/csv.ts'
import { daysTable, monthsTable, quarterHoursTable } from './export-counts.ts'
import { scansTable } from './export-scans.ts'
import type { Cursor, RowQueries } from './row-queries.ts'

/** The tables of a link, in the order in which an import needs them: the totals come with the quarters of an hour. */
export const exportedTables = {
  quarterHours: quarterHoursTable,
  days: daysTable,
  months: monthsTable,
  scans: scansTable,
}
export type TableName = keyof typeof exportedTables

export interface Page {
  csv: string
  /** Undefined on the last page. */
  next: Cursor | undefined
}

/** The first line of a table. */
export function csvHeader(table: TableName): string {
  return `${exportedTables[table].columns.join()}\r\n`
}

/**
 * Reads a page of a table as CSV (RFC 4180). A cell that a spreadsheet would execute as a formula gets an apostrophe in
 * front.
 */
export async function readPage(
  queries: RowQueries,
  table: TableName,
  linkId: number,
  after: Cursor,
  limit: number,
): Promise<Page> {
  const rows = await exportedTables[table].read(queries, linkId, after, limit)
  return { csv: writeRecords(rows.map(({ cells }) => cells)), next: rows.length < limit ? undefined : rows.at(-1)?.key }
}
