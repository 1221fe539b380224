import { createBoundedCache } from '../lib/bounded-cache.ts'
import { createRecentKeys } from '../lib/recent-keys.ts'
import { codeKey, isCode } from '../links/code.ts'
import { kindOf } from '../links/kinds/index.ts'
import type { Suspension } from '../links/link.ts'
import type { CompiledRules } from '../links/rules/compile.ts'
import { contentOf, placementsOf, rulesOf, type Found, type Visited } from '../links/visited.ts'
import { createLives, type Lived, type Lives } from './lives.ts'
import type { LiveLink } from './live-link.ts'
import { lock, type LockedLink } from './locked.ts'

/** The state of a code. A paused link still has its QR images. */
export type Resolution =
  | { state: 'live' | 'paused'; live: LiveLink }
  | { state: 'protected'; locked: LockedLink }
  | { state: 'suspended'; suspension: Pick<Suspension, 'source'> }
  | { state: 'gone' }
  | { state: 'unknown' }
/** The bytes of compiled rules: of the list, and at most for each character of their JSON. */
const [RULES_BYTES, RULE_CHARACTER_BYTES] = [800, 10]
/** The same of placements: a map of ids. */
const [PLACEMENTS_BYTES, PLACEMENT_CHARACTER_BYTES] = [200, 6]

/** Resolves codes, from the cache if possible. */
export interface Resolver {
  /**
   * Returns synchronously from the cache, or from a store that reads synchronously. Never returns a state that a change
   * had replaced before that change was answered.
   */
  resolve: (code: string) => Resolution | Promise<Resolution>
  /** To be called after a link was created, changed or deleted, before the response. */
  invalidate: (code: string) => void
  /** To be called when any link may have changed in this process. */
  invalidateAll: () => void
  /** To be called when others may have changed any link: what is cached is read again, unless the store does not answer. */
  expireAll: () => void
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

/** Reads in advance at the same time: visits that wait for the store need its connections. */
const MAX_REFRESHES = 4

const unknown: Resolution = { state: 'unknown' }

type Find = (codeKey: string) => Found | Promise<Found>

/**
 * @param find reads a link from the store by the key of its code, synchronously or not
 * @param monotonic a clock that never goes back
 * @param lifeMs how long a link may be cached; for ever when only this process changes the store
 */
export function createResolver(find: Find, monotonic: () => number, lifeMs = Number.POSITIVE_INFINITY): Resolver {
  const lives = createLives(monotonic)
  const cache = createResolutionCache(lives)
  const isRecent = createRecentKeys(RECENT_SLOTS)
  const reads = createReads(lives, cache)

  const refresh = createRefresh(lives, reads, find, lifeMs)

  return {
    resolve(code) {
      if (!isCode(code)) return unknown
      const key = codeKey(code)
      const cached = cache.get(key)
      if (cached !== undefined && lives.isUsable(cached)) {
        refresh(key, cached)
        return cached.resolution
      }
      const reading = reads.get(key)
      if (reading !== undefined) return lives.orCached(reading, cached)
      // From before the read: it may not see what is changed during it.
      const lived = lives.begin(lifeMs)
      const found = find(key)
      if (found instanceof Promise) return lives.orCached(reads.start(key, found, lived), cached)
      return isRecent(key) ? cache.add(key, found, lived) : toResolution(found)
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
    expireAll() {
      reads.clear()
      lives.expireAll()
    },
  }
}

/** The reads in progress. One that was deleted from here is not cached. */
function createReads({ answered }: Lives, cache: ResolutionCache) {
  const reads = new Map<string, Promise<Resolution>>()
  return {
    get: (key: string) => reads.get(key),
    count: () => reads.size,
    start(key: string, finding: Promise<Found>, lived: Lived): Promise<Resolution> {
      const read: Promise<Resolution> = finding.then((found) => {
        answered()
        return reads.get(key) === read ? cache.add(key, found, lived) : toResolution(found)
      })
      reads.set(key, read)
      const done = () => {
        if (reads.get(key) === read) reads.delete(key)
      }
      read.then(done, done)
      return read
    },
    delete: (key: string) => void reads.delete(key),
    clear: () => reads.clear(),
  }
}

/** Creates a function that reads a link which is visited before it expires, so that no visit of it waits for the store. */
function createRefresh(lives: Lives, reads: Reads, find: Find, lifeMs: number): (key: string, cached: Lived) => void {
  return (key, cached) => {
    if (reads.count() >= MAX_REFRESHES || reads.get(key) !== undefined || !lives.takeRefresh(cached)) return
    const lived = lives.begin(lifeMs)
    // When it fails, a visit reads again at the end of the link's life.
    reads.start(key, Promise.resolve(find(key)), lived).catch(() => {})
  }
}

/** What is cached of a code. */
interface Cached extends Lived {
  resolution: Resolution
}

/** Live, protected and paused links in one cache; suspended, deleted and unknown codes in another. */
function createResolutionCache(lives: Lives) {
  const links = createBoundedCache<Cached>(CACHE_BYTES)
  const negatives = createBoundedCache<Cached>(NEGATIVE_CACHE_BYTES)
  return {
    get: (key: string): Cached | undefined => links.get(key) ?? negatives.get(key),
    add(key: string, found: Found, lived: Lived): Resolution {
      const resolution = toResolution(found)
      const cached = { resolution, ...(found === undefined ? lives.begin(UNKNOWN_MS, 0) : lived) }
      if ('live' in resolution || 'locked' in resolution) {
        negatives.delete(key)
        links.set(key, cached, weigh(found as Visited))
      } else {
        links.delete(key)
        negatives.set(key, cached, NEGATIVE_WEIGHT)
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

type Reads = ReturnType<typeof createReads>
type ResolutionCache = ReturnType<typeof createResolutionCache>

function toResolution(found: Found): Resolution {
  if (found === undefined) return unknown
  if (found === 'gone') return { state: 'gone' }
  if (found.suspendedBy !== null) return { state: 'suspended', suspension: { source: found.suspendedBy } }
  const live = toLive(found)
  if (found.active && found.password !== null) return { state: 'protected', locked: lock(live, found.password) }
  return { state: found.active ? 'live' : 'paused', live }
}

function toLive(found: Visited): LiveLink {
  const { id, code, rules: json, placements: placed, isWarned } = found
  const kind = kindOf(found)
  let prepared: LiveLink['visit'] | undefined
  let compiled: CompiledRules | undefined
  const rules = json === null ? null : () => (compiled ??= rulesOf(json, found))
  let places: ReadonlyMap<string, string> | undefined
  const placements = placed === null ? null : () => (places ??= placementsOf(placed))
  const content = () => contentOf(found)
  const visit: LiveLink['visit'] = (visitor) => (prepared ??= kind.prepare(content()))(visitor)
  return { id, code, kind, content, visit, isWarned, rules, placements }
}

/** Estimates the bytes of a cached link: its objects and maps, and its texts once as stored and once as prepared. */
function weigh({ target, payload, utm, rules, placements, password }: Visited): number {
  const bytes = 1200 + 2 * ((target?.length ?? 0) + payload.length + utm.length + (password?.length ?? 0))
  const more = rules === null ? 0 : RULES_BYTES + RULE_CHARACTER_BYTES * rules.length
  return bytes + more + (placements === null ? 0 : PLACEMENTS_BYTES + PLACEMENT_CHARACTER_BYTES * placements.length)
}
