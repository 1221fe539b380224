// The links whose keys a browser keeps. What is read from its storage or from a file is checked field by field.

/** A kept link. Its addresses are made from the code and the token, so that a file cannot lead elsewhere. */
export interface KeptLink {
  token: string
  code: string
  title: string | null
  /** ISO 8601, UTC. */
  created_at: string
  /** Whether its design scans poorly, as far as this browser has seen. */
  poor?: true
}

/** The most links that a browser keeps, and the most characters of a file. */
export const MAX_KEPT = 2_000
export const MAX_FILE = 2_000_000
/** The most characters of the name that stands in `title`. */
export const MAX_TITLE = 200

const KEY = 'quirl.links'
const FORMAT = 'quirl-links'
const VERSION = 1

export type FileFault = 'too_large' | 'not_json' | 'not_links' | 'newer' | 'too_many' | 'invalid'

/** A field of a link; `link` stands for what is no object. */
export type LinkFault = Exclude<keyof KeptLink, 'poor'> | 'link'

/** What a file holds, or why it cannot be used: `entry` is the number of the invalid link, from 1, and `field` its first invalid field. */
export type ReadFile =
  | { links: KeptLink[]; service: string | undefined }
  | { fault: FileFault; entry?: number; field?: LinkFault }

/** The part of a browser's storage that is used. Every call may throw, where the browser forbids or bounds storage. */
export interface KeptStorage {
  getItem: (key: string) => string | null
  setItem: (key: string, value: string) => void
  removeItem: (key: string) => void
}

/** The text of an export. */
export function writeFile(links: KeptLink[], service: string): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, service, links }, null, 1)}\n`
}

export function readFile(text: string): ReadFile {
  if (text.length > MAX_FILE) return { fault: 'too_large' }
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return { fault: 'not_json' }
  }
  if (!isRecord(content) || content['format'] !== FORMAT) return { fault: 'not_links' }
  const { version, links, service } = content
  if (typeof version === 'number' && version > VERSION) return { fault: 'newer' }
  if (version !== VERSION || !Array.isArray(links)) return { fault: 'not_links' }
  if (links.length > MAX_KEPT) return { fault: 'too_many' }
  const read = links.map(readLink)
  const invalid = read.findIndex((each) => typeof each === 'string')
  if (invalid !== -1) return { fault: 'invalid', entry: invalid + 1, field: read[invalid] as LinkFault }
  return { links: withoutDuplicates(read.filter((link) => typeof link !== 'string')), service: readService(service) }
}

/** The kept links, newest first; none where the browser forbids storage or holds something else. */
export function readKept(storage: KeptStorage): KeptLink[] {
  try {
    const read = readFile(storage.getItem(KEY) ?? '')
    return 'fault' in read ? [] : read.links
  } catch {
    return []
  }
}

/** Returns whether the browser stored them. */
export function writeKept(storage: KeptStorage, links: KeptLink[]): boolean {
  try {
    if (links.length === 0) storage.removeItem(KEY)
    else storage.setItem(KEY, JSON.stringify({ format: FORMAT, version: VERSION, links }))
    return true
  } catch {
    return false
  }
}

/** Whether a change in storage is one of the kept links; null stands for all. */
export function isKeptKey(key: string | null): boolean {
  return key === null || key === KEY
}

/** Adds links. Two with the same code and other keys both stay, as only the service knows which key is the valid one. */
export function mergeKept(kept: KeptLink[], added: KeptLink[]): KeptLink[] {
  return withoutDuplicates([...kept, ...added])
}

/** Adds links whose keys are known to be valid: any other key of their codes is not. */
export function keepLinks(kept: KeptLink[], links: KeptLink[]): KeptLink[] {
  const tokens = new Set(links.map(({ token }) => token))
  const codes = new Set(links.map(({ code }) => code.toLowerCase()))
  const isOther = ({ code, token }: KeptLink) => !tokens.has(token) && !codes.has(code.toLowerCase())
  return withoutDuplicates([...links, ...kept.filter(isOther)])
}

export function forgetLinks(kept: KeptLink[], tokens: ReadonlySet<string>): KeptLink[] {
  return kept.filter(({ token }) => !tokens.has(token))
}

/** The links whose title or code contains a text. */
export function searchKept(kept: KeptLink[], text: string): KeptLink[] {
  const wanted = text.trim().toLowerCase()
  return kept.filter(({ title, code }) => `${title ?? ''}\n${code}`.toLowerCase().includes(wanted))
}

function withoutDuplicates(links: KeptLink[]): KeptLink[] {
  const byToken = new Map<string, KeptLink>()
  for (const link of links) if (!byToken.has(link.token)) byToken.set(link.token, link)
  return [...byToken.values()].sort((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0))
}

/** Returns the name of the first invalid field, where there is one. */
function readLink(value: unknown): KeptLink | LinkFault {
  if (!isRecord(value)) return 'link'
  const { token, code, title = null, created_at: createdAt, poor } = value
  if (!isText(token, /^[\w-]{43}$/)) return 'token'
  if (!isText(code, /^[\w-]{1,64}$/)) return 'code'
  if (title !== null && (typeof title !== 'string' || title.length > MAX_TITLE)) return 'title'
  if (!isText(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) || Number.isNaN(Date.parse(createdAt)))
    return 'created_at'
  return { token, code, title, created_at: createdAt, ...(poor === true && { poor }) }
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value)
}

/** The origin of the service that a file is from. */
function readService(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 300 && URL.canParse(value) ? new URL(value).origin : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
