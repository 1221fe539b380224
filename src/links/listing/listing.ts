import { setImmediate as yieldToLoop, setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/database.ts'
import { codeKey } from '../code.ts'
import { findDeletedByCode } from '../deleted-store.ts'
import type { Link } from '../link.ts'
import { findByCode } from '../store.ts'
import { matches, mayMatch, type Filter } from './filter.ts'
import {
  findKeys,
  findLinks,
  LINKS_PER_READ,
  placeOf,
  type ListedKey,
  type Order,
  type Place,
} from './listing-store.ts'

/** What one statement reads: with SQLite, the event loop waits for it. */
const KEYS_PER_READ = 250
const BYTES_PER_READ = 64 * 1024
/** How long visits have the event loop after each read of keys. */
const PAUSE_MS = 1
/** What one page looks at, and holds. */
const KEYS_PER_PAGE = 10_000
const BYTES_PER_PAGE = 128 * 1024

/** A link, and when it was deleted if it is, and can be brought back. */
export interface FoundLink {
  link: Link
  deletedAt: number | null
}

/** A part of a listing. */
export interface LinkPage {
  links: FoundLink[]
  /** The place after which the next page goes on; undefined at the end. */
  next: Place | undefined
  /** How many links were looked at. */
  looked: number
}

/**
 * The links that meet a filter, after a place. A page may have fewer than `limit` links, or none, and be followed by
 * another: its work is bounded. Each link is as it was when it was read.
 */
export async function listLinks(
  { read: db }: Pick<Database, 'read'>,
  filter: Filter,
  { order, after, limit }: { order: Order; after: Place | undefined; limit: number },
): Promise<LinkPage> {
  const { since, until } = filter
  const page: LinkPage = { links: [], next: after, looked: 0 }
  let bytes = 0
  const isFull = () => page.links.length >= limit || bytes >= BYTES_PER_PAGE

  /** Adds those of a part that match. @returns whether there was room for all */
  async function add(part: ListedKey[]): Promise<boolean> {
    const links = await findLinks(
      db,
      part.map(({ id }) => id),
    )
    for (const link of links.filter((each) => matches(filter, each))) {
      if (isFull()) return false
      const key = part.find(({ id }) => id === link.id)
      page.links.push({ link, deletedAt: key?.deletedAt ?? null })
      page.next = key && placeOf(key, order)
      bytes += key?.bytes ?? 0
    }
    await yieldToLoop()
    return true
  }

  while (page.looked < KEYS_PER_PAGE && !isFull()) {
    const keys = await findKeys(db, { order, after: page.next, since, until }, KEYS_PER_READ)
    page.looked += keys.length
    for (const part of partsOf(keys.filter((key) => mayMatch(filter, key)))) {
      if (!(await add(part))) return page
    }
    const last = keys.at(-1)
    page.next = last && placeOf(last, order)
    if (keys.length < KEYS_PER_READ) return { ...page, next: undefined }
    await sleep(PAUSE_MS)
  }
  return page
}

/** The link of this code if it meets the filter, as the only page; also one that is deleted and can be brought back. */
export async function listByCode({ read }: Pick<Database, 'read'>, filter: Filter, code: string): Promise<LinkPage> {
  const found = await findByCode(read, codeKey(code))
  const deleted = found === 'gone' ? await findDeletedByCode(read, codeKey(code), 0) : undefined
  const link = deleted?.link ?? found
  if (typeof link !== 'object') return { links: [], next: undefined, looked: 0 }
  const { id, kind, active, createdAt, suspension } = link
  const deletedAt = deleted?.deletedAt ?? null
  const key = { id, kind, active, createdAt, suspendedAt: suspension?.at ?? null, deletedAt, bytes: 0 }
  const isFound = mayMatch(filter, key) && matches(filter, link)
  return { links: isFound ? [{ link, deletedAt }] : [], next: undefined, looked: 1 }
}

/** The links of one read each: it has one link, or is within the bounds. */
function* partsOf(keys: ListedKey[]): Generator<ListedKey[]> {
  let part: ListedKey[] = []
  let bytes = 0
  for (const key of keys) {
    if (part.length === LINKS_PER_READ || (part.length > 0 && bytes + key.bytes > BYTES_PER_READ)) {
      yield part
      part = []
      bytes = 0
    }
    part.push(key)
    bytes += key.bytes
  }
  if (part.length > 0) yield part
}
