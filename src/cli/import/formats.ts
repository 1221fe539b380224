/** A row of an export: its values by the names of the tool, in lower case without blanks and signs. */
export type Fields = Record<string, unknown>

/** How the export of a tool names what a link has; the first name that has a value is used. */
export interface Format {
  code: string[]
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

/** The documented formats; their sources are in docs/import.md. */
export const formats: Record<string, Format> = {
  yourls: {
    code: ['keyword', 'shorturl'],
    target: ['url'],
    title: ['title'],
    created: ['timestamp'],
    clicks: ['clicks'],
    lists: [['links'], ['result']],
    obstacles: {},
  },
  shlink: {
    code: ['shortcode', 'shorturl'],
    target: ['longurl', 'originalurl'],
    title: ['title'],
    created: ['datecreated', 'createdat'],
    clicks: ['visitssummarytotal', 'visitscount', 'visits'],
    lists: [['shortUrls', 'data'], ['data']],
    obstacles: { metavaliduntil: ends, metamaxvisits: ends, validuntil: ends, maxvisits: ends },
  },
  kutt: {
    code: ['address', 'link'],
    target: ['target'],
    title: ['description'],
    created: ['createdat'],
    clicks: ['visitcount'],
    lists: [['data']],
    obstacles: { banned: 'is banned there', password: locked, expirein: ends },
  },
  dub: {
    code: ['key', 'shortlink', 'link'],
    target: ['url', 'destinationurl'],
    title: ['title'],
    created: ['createdat'],
    clicks: ['clicks'],
    lists: [['links']],
    obstacles: { password: locked, expiresat: ends },
  },
  bitly: {
    code: ['link', 'bitlink', 'shortlink', 'id'],
    target: ['longurl'],
    title: ['title'],
    created: ['createdat', 'datecreated', 'created'],
    clicks: ['clicks', 'totalclicks', 'engagements'],
    lists: [['links']],
    obstacles: {},
  },
  csv: {
    code: ['code', 'alias', 'shorturl'],
    target: ['target', 'url', 'longurl', 'destination'],
    title: ['title'],
    created: ['createdat', 'created'],
    clicks: ['clicks', 'scans'],
    lists: [],
    obstacles: {},
  },
}

/** A link of another service, as the file has it. */
export interface ForeignLink {
  /** Where it is in the file. */
  place: string
  alias: string
  target: string
  title: string | undefined
  created_at: string | undefined
  clicks: number
  /** Why it is not imported. */
  obstacle: string | undefined
}

const MAX_TITLE = 200

/**
 * Reads what a row has.
 * @throws {Error} that says what is wrong with it
 */
export function toLink(format: Format, fields: Fields, place: string): ForeignLink {
  const text = (names: string[]) => {
    const name = names.find((each) => isGiven(fields[each]))
    return name === undefined ? undefined : String(fields[name]).trim()
  }
  const alias = codeIn(text(format.code) ?? '')
  const target = text(format.target) ?? ''
  if (alias === '') throw new Error(`no short code (${format.code.join(', ')})`)
  if (target === '') throw new Error(`no destination (${format.target.join(', ')})`)
  const obstacle = Object.keys(format.obstacles).find((name) => isGiven(fields[name]))
  return {
    place,
    alias,
    target,
    title: text(format.title) === undefined ? undefined : singleLine(text(format.title) ?? '').slice(0, MAX_TITLE),
    created_at: timeIn(text(format.created)),
    clicks: numberIn(text(format.clicks)),
    obstacle: obstacle === undefined ? undefined : format.obstacles[obstacle],
  }
}

/** Exports write nothing, null, false or 0 where something is absent. */
function isGiven(value: unknown): boolean {
  return ![undefined, null, false, 0, '', 'null', 'false', '0', 'No'].includes(value as string)
}

/** The code itself, or the last part of a short URL. */
function codeIn(text: string): string {
  const [path = ''] = text.split(/[?#]/, 1)
  return path.split('/').findLast((part) => part !== '') ?? ''
}

/** ISO 8601; a time without a zone, as of YOURLS, counts as UTC. @throws {Error} */
function timeIn(text: string | undefined): string | undefined {
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
