import { createBoundedCache } from '../lib/bounded-cache.ts'
import { createRecentKeys } from '../lib/recent-keys.ts'
import { codeKey, isCode } from '../links/code.ts'
import { kindOf } from '../links/kinds/index.ts'
import type { Suspension } from '../links/link.ts'
import type { CompiledRules } from '../links/rules/compile.ts'
import { contentOf, rulesOf, type Found, type Visited } from '../links/visited.ts'
import type { LiveLink } from './live-link.ts'
import { lock, type LockedLink } from './locked.ts'

/** The state of a code. A paused link still has its QR images. */
export type Resolution =
  | { state: 'live' | 'paused'; live: LiveLink }
  | { state: 'protected'; locked: LockedLink }
  | { state: 'suspended'; suspension: Pick<Suspension, 'source'> }
  | { state: 'gone' }
  | { state: 'unknown' }

/** Resolves codes, from the cache if possible. */
export interface Resolver {
  /**
   * Returns synchronously from the cache, or from a store that reads synchronously. Never returns a state that a change
   * had replaced before that change was answered.
   */
  resolve: (code: string) => Resolution | Promise<Resolution>
  /** To be called after a link was created, changed or deleted, before the response. */
  invalidate: (code: string) => void
  /** To be called when any link may have changed. */
  invalidateAll: () => void
}

/** Memory for cached links, as `weigh` estimates it. */
const CACHE_BYTES = 16 * 1024 * 1024

/** Memory for codes without a live link. They have a cache of their own, so that guessed codes cannot evict links. */
const NEGATIVE_CACHE_BYTES = 1024 * 1024
const NEGATIVE_WEIGHT = 300

/**
 * A synchronous read is cached at the second visit of its code, not the first: caching costs as much as reading, and a
 * crawler would evict the links that people visit. There are about as many slots as the cache holds links.
 */
const RECENT_SLOTS = 16_384

/** How long an unknown code is cached: another process may have created it. */
const UNKNOWN_MS = 2000

const unknown: Resolution = { state: 'unknown' }

/**
 * @param find reads a link from the store by the key of its code, synchronously or not
 * @param monotonic a clock that never goes back
 */
export function createResolver(find: (codeKey: string) => Found | Promise<Found>, monotonic: () => number): Resolver {
  const cache = createResolutionCache(monotonic)
  const isRecent = createRecentKeys(RECENT_SLOTS)
  // Reads in progress. `invalidate` removes a read from here, and its result is then not cached.
  const reads = new Map<string, Promise<Resolution>>()

  function awaitRead(key: string, finding: Promise<Found>): Promise<Resolution> {
    const read: Promise<Resolution> = finding.then((found) =>
      reads.get(key) === read ? cache.add(key, found) : toResolution(found),
    )
    reads.set(key, read)
    const done = () => {
      if (reads.get(key) === read) reads.delete(key)
    }
    read.then(done, done)
    return read
  }

  return {
    resolve(code) {
      if (!isCode(code)) return unknown
      const key = codeKey(code)
      const known = cache.get(key) ?? reads.get(key)
      if (known !== undefined) return known
      const found = find(key)
      if (found instanceof Promise) return awaitRead(key, found)
      return isRecent(key) ? cache.add(key, found) : toResolution(found)
    },
    invalidate(code) {
      const key = codeKey(code)
      reads.delete(key)
      cache.delete(key)
    },
    invalidateAll() {
      reads.clear()
      cache.clear()
    },
  }
}

/** Live, protected and paused links in one cache; suspended, deleted and unknown codes in another. */
function createResolutionCache(monotonic: () => number) {
  const links = createBoundedCache<Resolution>(CACHE_BYTES)
  const negatives = createBoundedCache<{ resolution: Resolution; expiresAt: number }>(NEGATIVE_CACHE_BYTES)
  return {
    get(key: string): Resolution | undefined {
      const link = links.get(key)
      if (link !== undefined) return link
      const negative = negatives.get(key)
      if (negative === undefined) return undefined
      const { resolution, expiresAt } = negative
      return expiresAt === Number.POSITIVE_INFINITY || monotonic() < expiresAt ? resolution : undefined
    },
    add(key: string, found: Found): Resolution {
      const resolution = toResolution(found)
      if ('live' in resolution || 'locked' in resolution) links.set(key, resolution, weigh(found as Visited))
      else {
        const expiresAt = resolution.state === 'unknown' ? monotonic() + UNKNOWN_MS : Number.POSITIVE_INFINITY
        negatives.set(key, { resolution, expiresAt }, NEGATIVE_WEIGHT)
      }
      return resolution
    },
    delete(key: string): void {
      links.delete(key)
      negatives.delete(key)
    },
    clear(): void {
      links.clear()
      negatives.clear()
    },
  }
}

function toResolution(found: Found): Resolution {
  if (found === undefined) return unknown
  if (found === 'gone') return { state: 'gone' }
  if (found.suspendedBy !== null) return { state: 'suspended', suspension: { source: found.suspendedBy } }
  const live = toLive(found)
  if (found.active && found.password !== null) return { state: 'protected', locked: lock(live, found.password) }
  return { state: found.active ? 'live' : 'paused', live }
}

function toLive(found: Visited): LiveLink {
  const { id, code, rules: json } = found
  const kind = kindOf(found)
  let prepared: LiveLink['visit'] | undefined
  let compiled: CompiledRules | undefined
  const rules = json === null ? null : () => (compiled ??= rulesOf(json, found))
  const content = () => contentOf(found)
  const visit: LiveLink['visit'] = (visitor) => (prepared ??= kind.prepare(content()))(visitor)
  return { id, code, kind, content, visit, rules }
}

/** The bytes of compiled rules: of the list, and at most for each character of their JSON. */
const [RULES_BYTES, RULE_CHARACTER_BYTES] = [800, 10]

/** Estimates the bytes of a cached link: its objects and maps, and its texts once as stored and once as prepared. */
function weigh({ target, payload, utm, rules, password }: Visited): number {
  const bytes = 1200 + 2 * ((target?.length ?? 0) + payload.length + utm.length + (password?.length ?? 0))
  return rules === null ? bytes : bytes + RULES_BYTES + RULE_CHARACTER_BYTES * rules.length
}
