import { namesOf, type FieldName } from '../../tables/link-columns.ts'

/** A row of an export: its values by the names of the tool, as `plainName` writes them. */
export type Fields = Record<string, unknown>
/** Fields whose value is a URL of the link, with or without its scheme; others have the code itself. */
const urlNames = new Set([
  'shorturl',
  'shortlink',
  'link',
  'bitlink',
  'id',
  'custombitlinks',
  'custombitlink',
  'customlinks',
  'customlink',
])

/** How the export of a tool names what a link has; the first name that has a value is used. */
export interface Format {
  code: string[]
  /** The URL under which its visits are recorded, where visits can be imported. */
  address?: string[]
  /** Further codes of the same link, in a list. */
  more: string[]
  target: string[]
  title: string[]
  created: string[]
  clicks: string[]
  /** Where the links are in a JSON document, beside a list of them: names of nested objects. */
  lists: string[][]
  /** What quirl would not keep: a field that says so, and the reason for not importing the link. */
  obstacles: Record<string, string>
}

const ends = 'has an end (by time or visits), which the import does not take'
const locked = 'has a password, which the file does not have'

/** The names of a field in a table of one's own, some of them first. */
function namesFor(field: FieldName, ...first: string[]): string[] {
  return [...new Set([...first, ...namesOf(field)])]
}

/** The documented formats; their sources are in docs/import.md. */
export const formats: Record<string, Format> = {
  yourls: {
    code: ['keyword', 'shorturl'],
    more: [],
    target: ['url'],
    title: ['title'],
    created: ['timestamp'],
    clicks: ['clicks'],
    lists: [['links'], ['result']],
    obstacles: {},
  },
  shlink: {
    code: ['shortcode', 'shorturl'],
    address: ['shorturl'],
    more: [],
    target: ['longurl', 'originalurl'],
    title: ['title'],
    created: ['datecreated', 'createdat'],
    clicks: ['visitssummarytotal', 'visitscount', 'visits'],
    lists: [['shortUrls', 'data'], ['data']],
    obstacles: { metavaliduntil: ends, metamaxvisits: ends, validuntil: ends, maxvisits: ends },
  },
  kutt: {
    code: ['address', 'link'],
    more: [],
    target: ['target'],
    title: ['description'],
    created: ['createdat'],
    clicks: ['visitcount'],
    lists: [['data']],
    obstacles: { banned: 'is banned there', password: locked, expirein: ends },
  },
  dub: {
    code: ['key', 'shortlink', 'link'],
    more: [],
    target: ['url', 'destinationurl'],
    title: ['title'],
    created: ['createdat'],
    clicks: ['clicks'],
    lists: [['links']],
    obstacles: { password: locked, expiresat: ends },
  },
  bitly: {
    code: ['link', 'bitlink', 'shortlink', 'id'],
    more: ['custombitlinks', 'custombitlink', 'customlinks', 'customlink', 'custombackhalf', 'custombackhalves'],
    target: ['longurl'],
    title: ['title'],
    created: ['createdat', 'datecreated', 'created'],
    clicks: ['clicks', 'totalclicks', 'engagements'],
    lists: [['links']],
    obstacles: {},
  },
  csv: {
    code: namesFor('alias', 'code', 'alias', 'shorturl'),
    more: [],
    target: namesFor('target'),
    title: namesFor('title'),
    created: ['createdat', 'created'],
    clicks: ['clicks', 'scans'],
    lists: [],
    obstacles: {},
  },
}

/** A code of another service, as the file has it. */
export interface ForeignLink {
  /** Where it is in the file. */
  place: string
  alias: string
  /** Its short URL, if visits name it. */
  address: string | undefined
  target: string
  title: string | undefined
  created_at: string | undefined
  clicks: number
  /** Why it is not imported. */
  obstacle: string | undefined
  /** What of it is not kept as it was. */
  changed: string | undefined
}

const MAX_TITLE = 200

/**
 * Reads what a row has: a link for each of its codes, of which the first has the clicks.
 * @throws {Error} that says what is wrong with it
 */
export function toLinks(format: Format, fields: Fields, place: string): ForeignLink[] {
  const text = (names: string[]) => {
    const name = names.find((each) => hasText(fields[each]))
    return name === undefined ? undefined : String(fields[name]).trim()
  }
  const codes = codesOf(format, fields)
  const target = text(format.target) ?? ''
  if (codes.length === 0) throw new Error(`no short code (${format.code.slice(0, MAX_NAMED).join(', ')})`)
  if (target === '') throw new Error(`no destination (${format.target.slice(0, MAX_NAMED).join(', ')})`)
  const obstacle = Object.keys(format.obstacles).find((name) => isSet(fields[name]))
  const { title, changed } = titleOf(text(format.title))
  const address = text(format.address ?? [])
  const createdAt = timeIn(text(format.created))
  const clicks = numberIn(text(format.clicks))
  return codes.map((alias, at) => ({
    place,
    alias,
    address,
    target,
    title,
    created_at: createdAt,
    clicks: at === 0 ? clicks : 0,
    obstacle: alias.includes('/') ? deep : obstacle === undefined ? undefined : format.obstacles[obstacle],
    changed,
  }))
}

/** Names of fields that an error has. */
export const MAX_NAMED = 3
const deep = 'has a "/" in its code, and codes of several parts are not imported'

/** Exports write nothing, null, false or 0 where something is absent. */
function isSet(value: unknown): boolean {
  return ![undefined, null, false, 0, '', 'null', 'false', '0', 'No'].includes(value as string)
}

/** A title as quirl keeps one, and what that changes. */
function titleOf(text: string | undefined): Pick<ForeignLink, 'title' | 'changed'> {
  if (text === undefined) return { title: undefined, changed: undefined }
  const plain = text.replaceAll(/[^\P{Cc}\t\r\n]/gu, ' ').toWellFormed()
  const title = Array.from(plain).slice(0, MAX_TITLE).join('')
  if (title !== plain) return { title, changed: `its title has more than ${MAX_TITLE} characters, and was cut` }
  return { title, changed: plain === text ? undefined : 'control characters in its title became blanks' }
}

/** ISO 8601; a time without a zone, as of YOURLS, counts as UTC. @throws {Error} */
export function timeIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const isZoneless = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text)
  const time = Date.parse(isZoneless ? `${text.replace(' ', 'T')}Z` : text)
  if (Number.isNaN(time)) throw new Error(`"${singleLine(text).slice(0, 40)}" is not a time`)
  return new Date(time).toISOString()
}

/** A whole number, perhaps with commas between thousands. @throws {Error} */
function numberIn(text: string | undefined): number {
  const digits = (text ?? '0').replaceAll(',', '')
  if (!/^\d{1,12}$/.test(digits)) throw new Error(`"${singleLine(text ?? '').slice(0, 40)}" is not a number of clicks`)
  return Number(digits)
}

function singleLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').toWellFormed()
}

/** Whether a field has a value that is a text or can be one. */
function hasText(value: unknown): boolean {
  return value !== false && (Array.isArray(value) || textOf(value).trim() !== '')
}

/** The text of a value; one that is no text has none. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** The codes of a row, each once: case makes no difference here. */
function codesOf({ code, more }: Format, fields: Fields): string[] {
  const name = code.find((each) => hasText(fields[each]) && codeIn(each, textOf(fields[each])) !== '')
  const lists = more.filter((each) => hasText(fields[each])).map((each) => ({ name: each, list: listIn(fields[each]) }))
  const codes = [
    ...(name === undefined ? [] : [codeIn(name, textOf(fields[name]))]),
    ...lists.flatMap(({ name, list }) => list.map((each) => codeIn(name, each))),
  ]
  const lower = codes.map((each) => each.toLowerCase())
  return codes.filter((each, at) => each !== '' && lower.indexOf(each.toLowerCase()) === at)
}

/** A list of JSON, or a cell of a table with several values. */
function listIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : textOf(value).split(/[\s,;|]/)
}

/** The code itself, or the whole path of a short URL: its last part alone would be another code. */
function codeIn(name: string, text: string): string {
  const [whole = ''] = text.trim().split(/[?#]/, 1)
  const isUrl = /^https?:\/\//i.test(whole)
  const address = whole.replace(/^https?:\/\//i, '')
  const path = isUrl || (urlNames.has(name) && address.includes('/')) ? address.slice(address.indexOf('/') + 1) : whole
  return path
    .split('/')
    .filter((part) => part !== '')
    .join('/')
}
