import { createBoundedCache } from '../lib/bounded-cache.ts'
import { codeKey, isCode } from '../links/code.ts'
import { kindOf } from '../links/kinds/index.ts'
import type { Kind, Outcome, Visitor } from '../links/kinds/kind.ts'
import type { Link, Removal } from '../links/link.ts'

/** A link that can be visited. */
export interface LiveLink {
  link: Link
  kind: Kind
  visit: (visitor: Visitor) => Outcome
}

/** What a code leads to. A paused link is still there for its QR images. */
export type Resolution =
  | { state: 'live' | 'paused'; live: LiveLink }
  | { state: 'removed'; removed: Removal }
  | { state: 'gone' }
  | { state: 'unknown' }

/** Finds out what codes lead to, from memory when it can. */
export interface Resolver {
  /** Answers at once what is in memory; never what a change that was answered before has replaced. */
  resolve: (code: string) => Resolution | Promise<Resolution>
  /** The link of a code, when it is in memory and can be visited. */
  peek: (code: string) => LiveLink | undefined
  /** To be called when a link was created, changed or deleted, before that is answered. */
  forget: (code: string) => void
  /** To be called when any of them may have changed. */
  forgetAll: () => void
}

/** Memory that the cache may take, as estimated by `weigh`. */
const CACHE_BYTES = 16 * 1024 * 1024

/** How long an unknown code is believed to be unknown: another process may have created it. */
const UNKNOWN_MS = 2000

const unknown: Resolution = { state: 'unknown' }

/** @param find reads a link from the store: 'gone' when it was deleted, undefined when there never was one; @param monotonic a clock that never goes back */
export function createResolver(
  find: (code: string) => Promise<Link | 'gone' | undefined>,
  monotonic: () => number,
): Resolver {
  const cache = createBoundedCache<{ resolution: Resolution; until: number }>(CACHE_BYTES)
  // Reads under way. A read that is no longer the one noted here was overtaken by a change and is not kept.
  const fills = new Map<string, Promise<Resolution>>()

  function fill(key: string): Promise<Resolution> {
    const reading = find(key).then((found) => {
      const resolution = toResolution(found)
      if (fills.get(key) === reading) {
        const until = resolution.state === 'unknown' ? monotonic() + UNKNOWN_MS : Number.POSITIVE_INFINITY
        cache.set(key, { resolution, until }, weigh(resolution))
      }
      return resolution
    })
    fills.set(key, reading)
    const done = () => {
      if (fills.get(key) === reading) fills.delete(key)
    }
    reading.then(done, done)
    return reading
  }

  return {
    peek(code) {
      const resolution = cache.get(codeKey(code))?.resolution
      return resolution?.state === 'live' ? resolution.live : undefined
    },
    resolve(code) {
      if (!isCode(code)) return unknown
      const key = codeKey(code)
      const cached = cache.get(key)
      if (cached !== undefined && (cached.until === Number.POSITIVE_INFINITY || monotonic() < cached.until)) {
        return cached.resolution
      }
      return fills.get(key) ?? fill(key)
    },
    forget(code) {
      const key = codeKey(code)
      fills.delete(key)
      cache.delete(key)
    },
    forgetAll() {
      fills.clear()
      cache.clear()
    },
  }
}

function toResolution(found: Link | 'gone' | undefined): Resolution {
  if (found === undefined) return unknown
  if (found === 'gone') return { state: 'gone' }
  if (found.removed !== null) return { state: 'removed', removed: found.removed }
  const kind = kindOf(found)
  const live: LiveLink = { link: found, kind, visit: kind.prepare(found) }
  return { state: found.active ? 'live' : 'paused', live }
}

/** Roughly the bytes of an entry: its objects and maps, and its texts once as stored and once as prepared. */
function weigh(resolution: Resolution): number {
  if (!('live' in resolution)) return 300
  const { target, payload, title, campaign, utm } = resolution.live.link
  return 1200 + 2 * JSON.stringify([target, payload, title, campaign, utm]).length
}
