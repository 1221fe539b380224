import { disarm, restoreCell } from '../../lib/csv.ts'
import { invalidRequest, type FieldError, type Problem } from '../../http/problem.ts'
import { plainName } from '../../tables/link-columns.ts'
import { sameNumber } from './same-number.ts'
import type { SheetLink } from '../sheet-store.ts'

const texts = ['title', 'campaign', 'target'] as const
const utm = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const

/** The columns of links.csv, in their order. The first three say which link it is, and cannot be changed. */
export const columns = ['code', 'short_url', 'kind', ...texts, 'active', ...utm] as const

export type Column = (typeof columns)[number]

/** Those that a row can change. */
export const changeable: readonly Column[] = [...texts, 'active', ...utm]

const byPlainName = new Map(columns.map((name) => [plainName(name), name]))

/** The column that a header names, whatever its case. */
export function columnOf(name: string): Column | undefined {
  return name.length > 100 ? undefined : byPlainName.get(plainName(name))
}

/** The cells of a row, by their columns; a column that the file does not have is absent. */
export type Cells = Partial<Record<Column, string>>

/** The values of a link, as cells have them before formulas are guarded. */
export function valuesOf(link: SheetLink, shortUrl: string): Record<Column, string> {
  const { code, kind, title, campaign, target, active } = link
  const parameters = Object.fromEntries(utm.map((name) => [name, link.utm[name] ?? '']))
  return {
    ...(parameters as Record<(typeof utm)[number], string>),
    code,
    short_url: shortUrl,
    kind,
    title: title ?? '',
    campaign: campaign ?? '',
    target: target ?? '',
    active: String(active),
  }
}

/** What a row makes of a field. */
export interface Difference {
  column: Column
  /** Empty for none. */
  before: string
  after: string
}

/**
 * What the cells of a row change in their link.
 * @throws {Problem} 400 for a cell that cannot be changed, or that says no value
 */
export function differencesOf(cells: Cells, link: SheetLink): Difference[] {
  const values = valuesOf(link, '')
  const errors: FieldError[] = []
  const differences: Difference[] = []
  const kind = cells.kind?.trim().toLowerCase() ?? ''
  if (kind !== '' && kind !== link.kind) errors.push({ pointer: '/kind', detail: 'cannot be changed' })
  for (const column of changeable) {
    const cell = cells[column]
    if (cell === undefined) continue
    const [before, after] = [values[column], column === 'active' ? truthOf(cell) : textOf(cell, values[column])]
    if (after === undefined) errors.push({ pointer: '/active', detail: 'must be true or false' })
    else if (after !== before) differences.push({ column, before, after })
  }
  if (errors.length > 0) throw invalidRequest(errors)
  return differences
}

/** A cell as the person meant it; one that a spreadsheet has only written in another way has the value from before. */
function textOf(cell: string, before: string): string {
  if (withLineFeeds(cell) === withLineFeeds(disarm(before)) || sameNumber(cell, before)) return before
  return cell.trim() === '' ? '' : restoreCell(withLineFeeds(cell))
}

const withLineFeeds = (text: string) => text.replaceAll(/\r\n?/g, '\n')

/** What spreadsheets write for the truth, in the languages of the most of them. */
const truths = {
  true: 'true wahr yes ja 1 vrai verdadero vero',
  false: 'false falsch no nein 0 faux falso',
}
const truthByName = new Map(
  Object.entries(truths).flatMap(([truth, names]) => names.split(' ').map((name) => [name, truth])),
)

/** `true`, `false`, or undefined for a cell that says neither. */
const truthOf = (cell: string): string | undefined => truthByName.get(cell.trim().toLowerCase())

/** The fields of a change that makes these differences. */
export function changeOf(differences: readonly Difference[], link: SheetLink): Record<string, unknown> {
  const parameters = differences.filter(({ column }) => column.startsWith('utm_'))
  const changed = Object.fromEntries(parameters.map(({ column, after }) => [column, after]))
  const fields = differences.filter((each) => !parameters.includes(each))
  const values = fields.map(({ column, after }) => [column, column === 'active' ? after === 'true' : after || null])
  if (parameters.length === 0) return Object.fromEntries(values)
  const merged = Object.entries({ ...link.utm, ...changed }).filter(([, value]) => value !== '')
  return { ...Object.fromEntries(values), utm: Object.fromEntries(merged) }
}

/**
 * The code of the link that a row names. A spreadsheet may have taken it for a number, and written 0012 as 12; the short URL
 * beside it is none.
 * @throws {Problem} 400 when the cells name two links, or none
 */
export function codeOf({ code = '', short_url: shortUrl = '' }: Cells): string {
  const [named, shown] = [restoreCell(code.trim()), /\/([\w-]+)$/.exec(shortUrl.trim())?.[1]]
  if (named === '') throw refusal('/code', 'is required')
  if (shown === undefined || shown.toLowerCase() === named.toLowerCase()) return named
  if (sameNumber(named, shown)) return shown
  throw refusal('/code', 'is not that of the short_url in the same row; a spreadsheet may have changed it')
}

function refusal(pointer: string, detail: string): Problem {
  return invalidRequest([{ pointer, detail }])
}
