import { shorten } from '../lib/shorten.ts'
import type { FieldName, Mapping } from './link-columns.ts'

/** A row of a table, whatever file it comes from. */
export interface TableRecord {
  cells: string[]
  /** Where it ends in the file, from 1. */
  line: number
  /** Why it cannot be used. */
  fault?: RecordFault
}

/** What keeps a row from being used, in one of its columns (from 1). */
export interface RecordFault {
  code: 'surplus' | 'formula' | 'cell_error'
  line: number
  column: number
  /** The text that stands there, for `surplus`; long ones are shortened. */
  text?: string
}

/** The fields of a row of links; an absent one is empty. */
export type LinkRow = Partial<Record<FieldName, string>>

/**
 * The fault of a row. Text in a column without a name is one: its row may have been divided where it should not, and the
 * destination would be cut.
 * @param names of the columns; a table without a header has none
 */
export function faultOfRecord(
  { cells, line, fault }: TableRecord,
  names: readonly string[],
  mapping: Mapping,
): RecordFault | undefined {
  if (fault !== undefined) return fault
  const isNamed = (at: number) => mapping[at] !== undefined || (names[at] ?? '').trim() !== ''
  const at = cells.findIndex((cell, at) => cell.trim() !== '' && !isNamed(at))
  return at === -1 ? undefined : { code: 'surplus', line, column: at + 1, text: shorten(cells[at]?.trim() ?? '') }
}

/** Says a fault. */
export function describeFault({ code, line, column, text = '' }: RecordFault): string {
  const cell = `column ${column} (${columnLetters(column)}) of line ${line}`
  if (code === 'formula') return `${cell} has a formula without a value: open the file, and save it again`
  if (code === 'cell_error') return `${cell} has an error instead of a value`
  return `${cell} has the text "${text}", and the header no name for it: if it belongs to the cell before, that needs quotes`
}

/** How spreadsheets name a column: A, B … Z, AA. */
export function columnLetters(column: number): string {
  const last = String.fromCodePoint(65 + ((column - 1) % 26))
  return column <= 26 ? last : columnLetters(Math.floor((column - 1) / 26)) + last
}

/** The fields of a record, as they are; an empty cell is an absent field. */
export function toLinkRow(cells: readonly string[], mapping: Mapping): LinkRow {
  const row: LinkRow = {}
  for (const [at, field] of mapping.entries()) {
    const cell = cells[at] ?? ''
    if (field !== undefined && cell !== '') row[field] = cell
  }
  return row
}

/** A row of a person, whose address and code may have blanks around them by mistake; texts stay as they are. */
export function withoutOuterBlanks({ target, alias, ...texts }: LinkRow): LinkRow {
  return {
    ...(target !== undefined && { target: target.trim() }),
    ...(alias !== undefined && { alias: alias.trim() }),
    ...texts,
  }
}

/** The body of the creation of a row's link, as the API takes it. */
export function toLinkBody({
  utm_source: source,
  utm_medium: medium,
  utm_campaign: campaign,
  utm_term: term,
  utm_content: content,
  ...plain
}: LinkRow): Record<string, unknown> {
  const utm = Object.entries({
    utm_source: source,
    utm_medium: medium,
    utm_campaign: campaign,
    utm_term: term,
    utm_content: content,
  }).filter(([, value]) => value !== undefined)
  return { ...plain, ...(utm.length > 0 && { utm: Object.fromEntries(utm) }) }
}
