import type { TableRecord } from '../records.ts'
import { TableError } from '../table-error.ts'
import { parseXml, type OpenElement } from './xml.ts'

/** Rows with text. */
export const MAX_ROWS = 10_000
const MAX_COLUMNS = 256
/** Characters of a cell, which Excel bounds as well: many cells may refer to one shared text. */
const MAX_CELL = 32_767
const DAY = 86_400_000
/** Where the days of a workbook begin. Excel takes 1900 for a leap year, so that dates from March on are a day later. */
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)
/** 31 December 9999. */
const LAST_DAY = 2_958_465

/** What the cells of a sheet refer to. */
export interface Workbook {
  strings: string[]
  /** Whether a cell format shows a date. */
  isDate: boolean[]
  is1904: boolean
}

interface Cell {
  column: number
  type: string
  format: number
  hasFormula: boolean
  /** The text of its value; undefined when it has none. */
  value: string | undefined
}

/** Reads the texts of shared strings, without the readings of Japanese ones (`rPh`). */
export function readStrings(bytes: Uint8Array | undefined): string[] {
  if (bytes === undefined) return []
  const strings: string[] = []
  const collector = collectText()
  parseXml(bytes, {
    open({ name }) {
      if (name === 'si') collector.begin()
      else collector.open(name)
    },
    text: collector.text,
    close(name) {
      collector.close(name)
      if (name === 'si') strings.push(unescapeText(collector.end()))
    },
  })
  return strings
}

/** Collects the texts of `t` elements. */
function collectText() {
  let parts = ''
  let isText = false
  let isReading = false
  return {
    begin: () => void (parts = ''),
    open(name: string) {
      if (name === 'rPh') isReading = true
      if (name === 't') isText = !isReading
    },
    text: (text: string) => {
      if (isText) parts += text
    },
    close(name: string) {
      if (name === 'rPh') isReading = false
      if (name === 't') isText = false
    },
    end: () => parts,
  }
}

/**
 * Reads the rows of a sheet that have text.
 * @throws {TableError} when there are too many
 */
export function readSheet(bytes: Uint8Array, workbook: Workbook): TableRecord[] {
  const records: TableRecord[] = []
  let record: TableRecord = { cells: [], line: 0 }
  let cell: Cell | undefined
  let column = 0
  let isValue = false
  const inline = collectText()
  parseXml(bytes, {
    open(element) {
      const { name } = element
      if (name === 'row') {
        record = newRecord(element, record.line + 1)
        column = 0
      } else if (name === 'c') {
        cell = newCell(element, column + 1)
        column = cell.column
        inline.begin()
      } else if (cell !== undefined) {
        isValue = name === 'v'
        if (isValue) cell.value = ''
        if (name === 'f') cell.hasFormula = true
        inline.open(name)
      }
    },
    text(text) {
      if (cell !== undefined && isValue) cell.value += text
      else inline.text(text)
    },
    close(name) {
      inline.close(name)
      if (name === 'v') isValue = false
      else if (name === 'c' && cell !== undefined) {
        if (cell.type === 'inlineStr') cell.value = inline.end()
        takeCell(record, cell, workbook)
        cell = undefined
      } else if (name === 'row') addRecord(records, record)
    },
  })
  return records
}

function newRecord({ attributes }: OpenElement, next: number): TableRecord {
  return { cells: [], line: Number(attributes['r'] ?? next) }
}

function newCell({ attributes }: OpenElement, next: number): Cell {
  const letters = /^[A-Z]{1,3}/.exec(attributes['r'] ?? '')?.[0]
  return {
    column: letters === undefined ? next : columnNumber(letters),
    type: attributes['t'] ?? 'n',
    format: Number(attributes['s'] ?? 0),
    hasFormula: false,
    value: undefined,
  }
}

function columnNumber(letters: string): number {
  return Array.from(letters).reduce((sum, letter) => sum * 26 + (letter.codePointAt(0) ?? 0) - 64, 0)
}

function takeCell(record: TableRecord, cell: Cell, workbook: Workbook): void {
  const { column, type, hasFormula, value } = cell
  const fail = (code: 'formula' | 'cell_error') => void (record.fault ??= { code, line: record.line, column })
  if (value === undefined) return hasFormula ? fail('formula') : undefined
  const text = type === 'e' ? undefined : cellText(cell, value, workbook)
  if (text === undefined) return fail('cell_error')
  if (text === '') return
  if (text.length > MAX_CELL)
    throw new TableError('workbook', `has a cell of more than ${MAX_CELL.toLocaleString('en')} characters`)
  if (column > MAX_COLUMNS) throw new TableError('workbook', `has text beyond column ${MAX_COLUMNS}`)
  while (record.cells.length < column) record.cells.push('')
  record.cells[column - 1] = text
}

/** The text of a cell; undefined when its value is none of its type. */
function cellText({ type, format }: Cell, value: string, { strings, isDate, is1904 }: Workbook): string | undefined {
  switch (type) {
    case 's':
      return strings[Number(value)]
    case 'b':
      return value === '1' ? 'TRUE' : 'FALSE'
    case 'n':
      if (value === '') return ''
      return (isDate[format] ? dateText(value, is1904) : undefined) ?? numberText(value)
    case 'd':
      return value
    default:
      return unescapeText(value)
  }
}

function addRecord(records: TableRecord[], record: TableRecord): void {
  if (record.cells.every((cell) => cell.trim() === '') && record.fault === undefined) return
  if (records.length > MAX_ROWS) throw new TableError('workbook', `has more than ${MAX_ROWS.toLocaleString('en')} rows`)
  records.push(record)
}

/** A number in its shortest decimal form, without an exponent; undefined when it is none. */
function numberText(text: string): string | undefined {
  const trimmed = text.trim()
  // A program other than Excel may write more digits than a double holds.
  if (/^-?(?:0|[1-9]\d{0,100})$/.test(trimmed)) return trimmed
  const number = Number(trimmed)
  if (trimmed === '' || !Number.isFinite(number)) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d{1,30})(?:\.(\d{1,30}))?(?:e([+-]?\d{1,3}))?$/.exec(String(number)) ?? []
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits.padEnd(point, '0')
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** A number of days as a date, a time of day, or both (ISO 8601); undefined when it is none. */
function dateText(text: string, is1904: boolean): string | undefined {
  const days = Number(text)
  if (text.trim() === '' || !(days >= 0 && days <= LAST_DAY + 1)) return undefined
  const shifted = is1904 || days >= 60 ? days : days + 1
  const milliseconds = Math.round((shifted * DAY) / 1_000) * 1_000
  const iso = new Date((is1904 ? EPOCH_1904 : EPOCH_1900) + milliseconds).toISOString()
  const [date = '', time = ''] = iso.slice(0, 19).split('T')
  if (days < 1 && days > 0) return time
  return time === '00:00:00' ? date : `${date}T${time}`
}

/** Characters that XML cannot have, or not at the ends of lines, are written as _x000D_ (ECMA-376, 22.9.2.19). */
function unescapeText(text: string): string {
  return text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_all, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}
