import { setImmediate as turn } from 'node:timers/promises'
import { writeRecords } from '../lib/csv.ts'
import type { BulkResult, RowResult } from './bulk.ts'
import { columns } from './csv-rows.ts'
import { MAX_URL_LENGTH } from '../http/fields.ts'

const answered = ['code', 'short_url', 'qr_png', 'qr_svg', 'manage_url', 'token'] as const

/** Characters that fit into a field: a longer cell is of a row that failed, and is too long after the cut as well. */
const longest: Record<string, number> = { alias: 64, target: MAX_URL_LENGTH, title: 400, campaign: 400 }

/** Lines that are written in one go. */
const SLICE = 25

/** The result as CSV, a line for each row, with what the row said, as much of it as its field could hold. */
export async function writeCsv(rows: unknown[], { results }: Pick<BulkResult, 'results'>): Promise<string> {
  const parts = [writeRecords([['index', ...columns, ...answered, 'error']])]
  for (let from = 0; from < results.length; from += SLICE) {
    parts.push(writeRecords(results.slice(from, from + SLICE).map((result, at) => lineOf(rows[from + at], result))))
    await turn()
  }
  return parts.join('')
}

function lineOf(row: unknown, result: RowResult): string[] {
  return [
    String(result.index),
    ...columns.map((name) => textOf(row, name)),
    ...answered.map((name) => ('code' in result ? result[name] : '')),
    'error' in result ? `${result.error.code}: ${result.error.detail}` : '',
  ]
}

function textOf(row: unknown, name: string): string {
  const value =
    typeof row === 'object' && row !== null && Object.hasOwn(row, name) ? (row as Record<string, unknown>)[name] : ''
  if (typeof value !== 'string') return ''
  const most = longest[name] ?? 0
  return value.length > most ? `${value.slice(0, most).toWellFormed()}…` : value
}
