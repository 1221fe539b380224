import type { Flags } from '../config/sources.ts'
import type { ListedLink } from '../links/listing/operator.ts'
import { writeRecords } from '../lib/csv.ts'
import { StartError } from '../lib/start-error.ts'
import { formatTable, formatTime, toSingleLine } from './table.ts'

/** How links are written. */
export type LinkFormat = 'table' | 'json' | 'csv'

/** Characters of a title and a destination in the table. */
const [MAX_TITLE, MAX_TARGET] = [40, 100]

/** The columns of a CSV file; an object is one cell of JSON. */
const columns = [
  'code',
  'kind',
  'target',
  'title',
  'campaign',
  'active',
  'has_password',
  'created_at',
  'updated_at',
  'removed',
  'deleted',
  'totals',
  'utm',
  'rules',
  'payload',
  'placements',
] as const

/** @throws {StartError} for two formats */
export function formatOf({ json, csv }: Flags, usual: LinkFormat): LinkFormat {
  if (json === true && csv === true) throw new StartError('give --json or --csv, not both')
  return json === true ? 'json' : csv === true ? 'csv' : usual
}

/** @param isFirst whether a header comes before them, in formats with one */
export function linesOf(format: LinkFormat, links: ListedLink[], isFirst: boolean): string {
  if (format === 'json') return links.map((link) => `${JSON.stringify(link)}\n`).join('')
  if (format === 'csv') return writeRecords([...(isFirst ? [columns] : []), ...links.map(recordOf)])
  return formatTable([['CODE', 'KIND', 'STATE', 'CREATED (UTC)', 'SCANS', 'TITLE', 'DESTINATION'], ...links.map(rowOf)])
}

function recordOf(link: ListedLink): string[] {
  return columns.map((name) => {
    const value = link[name]
    if (value === null) return ''
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  })
}

function rowOf(link: ListedLink): string[] {
  const { code, kind, created_at: createdAt } = link
  const [title, target] = [cut(link.title ?? '-', MAX_TITLE), cut(link.target ?? '-', MAX_TARGET)]
  const scans = link.totals === null ? '?' : String(link.totals.scans)
  return [code, kind, stateOf(link), formatTime(Date.parse(createdAt)), scans, title, target]
}

function stateOf({ removed, deleted, active }: ListedLink): string {
  if (deleted !== null) return `deleted, until ${formatTime(Date.parse(deleted.undo_until))}`
  if (removed !== null) return removed.source === 'legal' ? 'blocked by law' : 'blocked'
  return active ? 'active' : 'paused'
}

function cut(text: string, length: number): string {
  const line = toSingleLine(text)
  return line.length > length ? `${line.slice(0, length - 1).toWellFormed()}…` : line
}
