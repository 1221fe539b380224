import { stringify } from 'csv-stringify/sync'

/** Characters in a cell that some program treats as a line end. */
const LINE_ENDS = '\\r\\n\\v\\f\\x85\\u2028\\u2029'
/** Characters at the start of a formula in spreadsheets, also in full width (OWASP, "CSV Injection"). */
const FORMULA = '=+\\-@\\t\\uFF1D\\uFF0B\\uFF0D\\uFF20'
const formulaStarts = new RegExp(`^(?=[${FORMULA}\\r\\n])|(?<=[${LINE_ENDS}])(?=[${FORMULA}])`, 'g')

/**
 * Writes records as CSV (RFC 4180, CRLF). A cell, or a line inside one, that a spreadsheet would treat as a formula gets
 * an apostrophe in front; a cell with a line end of any kind is quoted.
 */
export function writeRecords(records: readonly (readonly string[])[]): string {
  const cells = records.map((record) => record.map(disarm))
  return stringify(cells, { record_delimiter: 'windows', quoted_match: /[\r\n\v\f\x85\u2028\u2029]/ })
}

/** Writes records as CSV that the program itself reads again: a spreadsheet could take a cell for a formula. */
export function writeExactRecords(records: readonly (readonly string[])[]): string {
  return stringify([...records], { record_delimiter: 'windows' })
}

const armed = new RegExp(`(?<=^|[${LINE_ENDS}])'(?=[${FORMULA}])|^'(?=[\\r\\n])`, 'g')

/** A cell without the apostrophes that `writeRecords` has put before what looks like a formula. */
export function restoreCell(cell: string): string {
  return cell.replace(armed, '')
}

/** A cell as `writeRecords` writes it: a spreadsheet takes it for text. */
export function disarm(cell: string): string {
  return cell.replace(formulaStarts, "'")
}
