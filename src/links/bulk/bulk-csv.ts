import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { writeRecords } from '../../lib/csv.ts'
import type { BulkResult } from './bulk.ts'
import { isObject } from '../../http/body.ts'
import { columns, LOOK } from './csv-rows.ts'
import { MAX_URL_LENGTH } from '../../http/fields.ts'

const resultColumns = ['code', 'short_url', 'qr_png', 'qr_svg', 'manage_url', 'token'] as const

/** The longest valid field, in characters: a longer cell belongs to a failed row, and is still too long when truncated. */
const maxLengths: Record<string, number> = { alias: 64, target: MAX_URL_LENGTH, title: 400, campaign: 400, look: 80 }

/** Lines that are written before the event loop runs again. */
const SLICE = 25

/** The result as CSV, a line for each row, with the row's own fields, truncated to their longest valid length. */
export async function writeCsv(rows: unknown[], { results }: Pick<BulkResult, 'results'>): Promise<string> {
  const shown = rows.some((row) => lookOf(row) !== '') ? [...columns, LOOK] : columns
  const parts = [writeRecords([['index', ...shown, ...resultColumns, 'error']])]
  for (let from = 0; from < results.length; from += SLICE) {
    const lines = results.slice(from, from + SLICE).map((result, at) => lineOf(rows[from + at], shown, result))
    parts.push(writeRecords(lines))
    await yieldToLoop()
  }
  return parts.join('')
}

const manifestColumns = ['index', 'file', 'code', 'short_url', 'title', 'target', 'error'] as const

/**
 * What each image of an archive is of, a line for each row. It has no tokens, so that it can be handed on with the images.
 * @param files of each row: its file, or why there is none
 */
export function writeManifest(
  rows: unknown[],
  results: readonly { index: number; code?: string; short_url?: string }[],
  files: readonly { file: string; error: string }[],
): string {
  const lines = results.map((result, at) => {
    const { file = '', error = '' } = files[at] ?? {}
    const { index, code = textOf(rows[at], 'alias'), short_url: url = '' } = result
    return [String(index), file, code, url, textOf(rows[at], 'title'), textOf(rows[at], 'target'), error]
  })
  return writeRecords([[...manifestColumns], ...lines])
}

/** Whether a row wants a design. */
export function hasDesign(row: unknown): boolean {
  return isObject(row) && isObject(row['design'])
}

function lineOf(row: unknown, shown: string[], result: BulkResult['results'][number]): string[] {
  return [
    String(result.index),
    ...shown.map((name) => textOf(name === LOOK ? { look: lookOf(row) } : row, name)),
    ...resultColumns.map((name) => ('code' in result ? result[name] : '')),
    'error' in result ? `${result.error.code}: ${result.error.detail}` : '',
  ]
}

/** The name of the look that a row wants; empty when it wants none. */
function lookOf(row: unknown): string {
  const design = isObject(row) ? row['design'] : undefined
  const look = isObject(design) ? design['look'] : undefined
  return typeof look === 'string' ? look : ''
}

function textOf(row: unknown, name: string): string {
  const value =
    typeof row === 'object' && row !== null && Object.hasOwn(row, name) ? (row as Record<string, unknown>)[name] : ''
  if (typeof value !== 'string') return ''
  const maxLength = maxLengths[name] ?? 0
  return value.length > maxLength ? `${value.slice(0, maxLength).toWellFormed()}…` : value
}
