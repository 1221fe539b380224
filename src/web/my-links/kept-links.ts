// The links and collections whose keys a browser keeps. What is read from its storage or from a file is checked field by field.

import { MAX_KEPT_COLLECTIONS, readCollection, type CollectionFault, type KeptCollection } from './kept-collections.ts'
import { isRecord, isText, isTime, mergeKept, type Keyed } from './kept-list.ts'

/** A kept link. Its addresses are made from the code and the token, so that a file cannot lead elsewhere. */
export interface KeptLink extends Keyed {
  code: string
  title: string | null
  /** Whether its design scans poorly, as far as this browser has seen. */
  poor?: true
}

/** The most links that a browser keeps, and the most characters of a file. */
export const MAX_KEPT = 2_000
export const MAX_FILE = 2_000_000
/** The most characters of the name that stands in `title`. */
export const MAX_TITLE = 200

const KEY = 'quirl.links'
const COLLECTIONS_KEY = 'quirl.collections'
const FORMAT = 'quirl-links'
const VERSION = 1

export type FileFault =
  | 'too_large'
  | 'not_json'
  | 'not_links'
  | 'newer'
  | 'too_many'
  | 'too_many_collections'
  | 'invalid'
  | 'invalid_collection'

/** A field of a link; `link` stands for what is no object. */
export type LinkFault = Exclude<keyof KeptLink, 'poor'> | 'link'

/** What a browser keeps. */
export interface Kept {
  links: KeptLink[]
  collections: KeptCollection[]
}

/** Why a file cannot be used: `entry` is the number of the invalid link or collection, from 1, and `field` its first invalid field. */
export interface InvalidFile {
  fault: FileFault
  entry?: number
  field?: LinkFault | CollectionFault
}

/** What a file holds, or why it cannot be used. */
export type ReadFile = (Kept & { service: string | undefined }) | InvalidFile

/** The part of a browser's storage that is used. Every call may throw, where the browser forbids or bounds storage. */
export interface KeptStorage {
  getItem: (key: string) => string | null
  setItem: (key: string, value: string) => void
  removeItem: (key: string) => void
}

/** The text of an export. */
export function writeFile(kept: Kept, service: string): string {
  return `${JSON.stringify(contentOf(kept, service), null, 1)}\n`
}

/** Files of versions without collections have none. */
function contentOf({ links, collections }: Kept, service?: string) {
  const head = { format: FORMAT, version: VERSION, ...(service !== undefined && { service }), links }
  return collections.length === 0 ? head : { ...head, collections }
}

export function readFile(text: string): ReadFile {
  if (text.length > MAX_FILE) return { fault: 'too_large' }
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return { fault: 'not_json' }
  }
  return isRecord(content) && content['format'] === FORMAT ? readContent(content) : { fault: 'not_links' }
}

function readContent(content: Record<string, unknown>): ReadFile {
  const { version, links: linkValues, collections: collectionValues = [], service } = content
  if (typeof version === 'number' && version > VERSION) return { fault: 'newer' }
  if (version !== VERSION || !Array.isArray(linkValues) || !Array.isArray(collectionValues))
    return { fault: 'not_links' }
  if (linkValues.length > MAX_KEPT) return { fault: 'too_many' }
  if (collectionValues.length > MAX_KEPT_COLLECTIONS) return { fault: 'too_many_collections' }
  const links = readEntries<KeptLink, LinkFault>(linkValues, readLink)
  if (!Array.isArray(links)) return { fault: 'invalid', ...links }
  const collections = readEntries<KeptCollection, CollectionFault>(collectionValues, readCollection)
  if (!Array.isArray(collections)) return { fault: 'invalid_collection', ...collections }
  return { links, collections, service: readService(service) }
}

/** Reads the entries of a list, newest first, or returns which is the first invalid one. */
function readEntries<T extends Keyed, Fault extends string>(
  values: readonly unknown[],
  read: (value: unknown) => T | Fault,
): T[] | { entry: number; field: Fault } {
  const entries: T[] = []
  for (const [at, value] of values.entries()) {
    const entry = read(value)
    if (typeof entry === 'string') return { entry: at + 1, field: entry }
    entries.push(entry)
  }
  return mergeKept(entries, [])
}

/** The kept links, newest first; none where the browser forbids storage or holds something else. */
export function readKept(storage: KeptStorage): KeptLink[] {
  return readStored(storage, KEY).links
}

/** The same of kept collections. */
export function readKeptCollections(storage: KeptStorage): KeptCollection[] {
  return readStored(storage, COLLECTIONS_KEY).collections
}

function readStored(storage: KeptStorage, key: string): Kept {
  try {
    const read = readFile(storage.getItem(key) ?? '')
    if (!('fault' in read)) return read
  } catch {
    // The browser forbids storage.
  }
  return { links: [], collections: [] }
}

/** Returns whether the browser stored them. */
export function writeKept(storage: KeptStorage, links: KeptLink[]): boolean {
  return writeStored(storage, KEY, { links, collections: [] })
}

/** Returns whether the browser stored them. */
export function writeKeptCollections(storage: KeptStorage, collections: KeptCollection[]): boolean {
  return writeStored(storage, COLLECTIONS_KEY, { links: [], collections })
}

function writeStored(storage: KeptStorage, key: string, kept: Kept): boolean {
  try {
    if (kept.links.length + kept.collections.length === 0) storage.removeItem(key)
    else storage.setItem(key, JSON.stringify(contentOf(kept)))
    return true
  } catch {
    return false
  }
}

/** Whether a change in storage is one of what is kept; null stands for all. */
export function isKeptKey(key: string | null): boolean {
  return key === null || key === KEY || key === COLLECTIONS_KEY
}

/** Adds links whose keys are known to be valid: any other key of their codes is not. */
export function keepLinks(kept: KeptLink[], links: KeptLink[]): KeptLink[] {
  const tokens = new Set(links.map(({ token }) => token))
  const codes = new Set(links.map(({ code }) => code.toLowerCase()))
  const isOther = ({ code, token }: KeptLink) => !tokens.has(token) && !codes.has(code.toLowerCase())
  return mergeKept(links, kept.filter(isOther))
}

/** The links whose title or code contains a text. */
export function searchKept(kept: KeptLink[], text: string): KeptLink[] {
  const wanted = text.trim().toLowerCase()
  return kept.filter(({ title, code }) => `${title ?? ''}\n${code}`.toLowerCase().includes(wanted))
}

/** Returns the name of the first invalid field, where there is one. */
function readLink(value: unknown): KeptLink | LinkFault {
  if (!isRecord(value)) return 'link'
  const { token, code, title = null, created_at: createdAt, poor } = value
  if (!isText(token, /^[\w-]{43}$/)) return 'token'
  if (!isText(code, /^[\w-]{1,64}$/)) return 'code'
  if (title !== null && (typeof title !== 'string' || title.length > MAX_TITLE)) return 'title'
  if (!isTime(createdAt)) return 'created_at'
  return { token, code, title, created_at: createdAt, ...(poor === true && { poor }) }
}

/** The origin of the service that a file is from. */
function readService(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 300 && URL.canParse(value) ? new URL(value).origin : undefined
}
