import { createBoundedCache } from '../lib/bounded-cache.ts'
import { createRecentKeys } from '../lib/recent-keys.ts'
import { codeKey, isCode } from '../links/code.ts'
import { kindOf } from '../links/kinds/index.ts'
import type { Content, Kind, Outcome, Visitor } from '../links/kinds/kind.ts'
import type { Suspension } from '../links/link.ts'
import { contentOf, type Found, type Visited } from '../links/visited.ts'

/** A link that can be visited. */
export interface LiveLink {
  id: number
  /** As its owner wrote it. */
  code: string
  kind: Kind
  content: () => Content<Record<string, unknown>>
  visit: (visitor: Visitor) => Outcome
}

/** What a code leads to. A paused link is still there for its QR images. */
export type Resolution =
  | { state: 'live' | 'paused'; live: LiveLink }
  | { state: 'removed'; removed: Pick<Suspension, 'source'> }
  | { state: 'gone' }
  | { state: 'unknown' }

/** Finds out what codes lead to, from memory when it can. */
export interface Resolver {
  /**
   * Answers at once what is in memory, and what the store answers at once; never what a change that was answered before
   * has replaced.
   */
  resolve: (code: string) => Resolution | Promise<Resolution>
  /** To be called when a link was created, changed or deleted, before that is answered. */
  invalidate: (code: string) => void
  /** To be called when any of them may have changed. */
  invalidateAll: () => void
}

/** Memory that the links in the cache may take, as estimated by `weigh`. */
const CACHE_BYTES = 16 * 1024 * 1024

/** The same for codes that lead nowhere. On their own: who tries codes must not drive the links out. */
const NOWHERE_BYTES = 1024 * 1024
const NOWHERE_WEIGHT = 300

/**
 * What the store answers at once is kept when it is asked for again, and not the first time: keeping it costs as much as
 * reading it, and a crawler would drive out what others visit. There are about as many slots as the cache has links.
 */
const WANTED_SLOTS = 16_384

/** How long an unknown code is believed to be unknown: another process may have created it. */
const UNKNOWN_MS = 2000

const unknown: Resolution = { state: 'unknown' }

/**
 * @param find reads a link from the store by the key of its code, at once or later
 * @param monotonic a clock that never goes back
 */
export function createResolver(find: (codeKey: string) => Found | Promise<Found>, monotonic: () => number): Resolver {
  const links = createBoundedCache<Resolution>(CACHE_BYTES)
  const nowhere = createBoundedCache<{ resolution: Resolution; until: number }>(NOWHERE_BYTES)
  const isWanted = createRecentKeys(WANTED_SLOTS)
  // Reads under way. A read that is no longer the one noted here was overtaken by a change and is not kept.
  const fills = new Map<string, Promise<Resolution>>()

  function keep(key: string, found: Found): Resolution {
    const resolution = toResolution(found)
    if ('live' in resolution) links.set(key, resolution, weigh(found as Visited))
    else {
      const until = resolution.state === 'unknown' ? monotonic() + UNKNOWN_MS : Number.POSITIVE_INFINITY
      nowhere.set(key, { resolution, until }, NOWHERE_WEIGHT)
    }
    return resolution
  }

  function keepLater(key: string, finding: Promise<Found>): Promise<Resolution> {
    const reading: Promise<Resolution> = finding.then((found) =>
      fills.get(key) === reading ? keep(key, found) : toResolution(found),
    )
    fills.set(key, reading)
    const done = () => {
      if (fills.get(key) === reading) fills.delete(key)
    }
    reading.then(done, done)
    return reading
  }

  return {
    resolve(code) {
      if (!isCode(code)) return unknown
      const key = codeKey(code)
      const cached = links.get(key)
      if (cached !== undefined) return cached
      const known = nowhere.get(key)
      if (known !== undefined && (known.until === Number.POSITIVE_INFINITY || monotonic() < known.until)) {
        return known.resolution
      }
      const filling = fills.get(key)
      if (filling !== undefined) return filling
      const found = find(key)
      if (found instanceof Promise) return keepLater(key, found)
      return isWanted(key) ? keep(key, found) : toResolution(found)
    },
    invalidate(code) {
      const key = codeKey(code)
      fills.delete(key)
      links.delete(key)
      nowhere.delete(key)
    },
    invalidateAll() {
      fills.clear()
      links.clear()
      nowhere.clear()
    },
  }
}

function toResolution(found: Found): Resolution {
  if (found === undefined) return unknown
  if (found === 'gone') return { state: 'gone' }
  if (found.suspendedBy !== null) return { state: 'removed', removed: { source: found.suspendedBy } }
  return { state: found.active ? 'live' : 'paused', live: toLive(found) }
}

function toLive(found: Visited): LiveLink {
  const { id, code } = found
  const kind = kindOf(found)
  let prepared: LiveLink['visit'] | undefined
  const content = () => contentOf(found)
  return { id, code, kind, content, visit: (visitor) => (prepared ??= kind.prepare(content()))(visitor) }
}

/** Roughly the bytes of an entry: its objects and maps, and its texts once as stored and once as prepared. */
function weigh({ target, payload, utm }: Visited): number {
  return 1200 + 2 * ((target?.length ?? 0) + payload.length + utm.length)
}
