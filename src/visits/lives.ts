import { StoreUnavailable } from '../db/unavailable.ts'

/** How old what is cached may become while the store does not answer: docs/scale.md promises it. */
const MAX_AGE_MS = 5 * 60_000

/** How long a visit waits for the store when there is something to answer with. */
const PATIENCE_MS = 1000

/** How often a visit reads from a store that does not answer. */
const PROBE_MS = 1000

/** The part of its life after which something that is visited is read again in advance, so that no visit waits for it. */
const REFRESH_AFTER = 2 / 3

/** How often one code is read in advance when that fails. */
const REFRESH_MS = 1000

/** Something that was read from the store. On the monotonic clock. */
export interface Lived {
  /** When it has to be read again; infinite when only this process changes the store. */
  expiresAt: number
  /** When a visit may read it again in advance; infinite when nothing does. */
  refreshAt: number
  /** Until when it may be used while the store does not answer. */
  lastsUntil: number
  /** How often everything had expired before it was read. */
  generation: number
}

/** Decides whether what was read from a store that other processes change may still be used (stale-if-error, RFC 5861). */
export interface Lives {
  /** When something expires that is read now. What may not outlive its life is not read in advance either. */
  begin: (lifeMs: number, maxAgeMs?: number) => Lived
  isUsable: (cached: Lived) => boolean
  /** Whether a visit of something usable is to read it again in advance. Returns true once; then not for a second. */
  takeRefresh: (cached: Lived) => boolean
  /** Makes everything expire that was read so far. */
  expireAll: () => void
  /** To be called when the store has answered. */
  answered: () => void
  /** Resolves with the result of a read, or with what is cached if the store does not answer and that may still be used. */
  orCached: <T>(read: Promise<T>, cached: (Lived & { resolution: T }) | undefined) => Promise<T>
}

const never = Number.POSITIVE_INFINITY
const forEver: Lived = { expiresAt: never, refreshAt: never, lastsUntil: never, generation: 0 }

export function createLives(monotonic: () => number): Lives {
  // While the store does not answer: when the next visit reads from it.
  let probeAt: number | undefined
  let generation = 0

  return {
    begin(lifeMs, maxAgeMs = MAX_AGE_MS) {
      if (lifeMs === never) return forEver
      const readAt = monotonic()
      const refreshAt = maxAgeMs > lifeMs ? readAt + lifeMs * REFRESH_AFTER : never
      return { expiresAt: readAt + lifeMs, refreshAt, lastsUntil: readAt + maxAgeMs, generation }
    },
    isUsable({ expiresAt, lastsUntil, generation: readIn }) {
      if (expiresAt === never) return true
      const now = monotonic()
      if (now < expiresAt && readIn === generation) return true
      if (probeAt === undefined || now >= lastsUntil) return false
      if (now < probeAt) return true
      // This visit reads from the store; the others do not wait for it.
      probeAt = now + PROBE_MS
      return false
    },
    takeRefresh(cached) {
      // A store that does not answer is read by one visit a second.
      if (cached.refreshAt === never || probeAt !== undefined) return false
      const now = monotonic()
      if (now < cached.refreshAt) return false
      cached.refreshAt = now + REFRESH_MS
      return true
    },
    expireAll: () => void generation++,
    answered: () => void (probeAt = undefined),
    orCached(read, cached) {
      if (cached === undefined || monotonic() >= cached.lastsUntil) return read
      const result = inTime(read).catch((error: unknown) => {
        if (!(error instanceof StoreUnavailable)) throw error
        probeAt = monotonic() + PROBE_MS
        return cached.resolution
      })
      // The fast path drops the promise, and the route asks again.
      result.catch(() => {})
      return result
    },
  }
}

async function inTime<T>(read: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new StoreUnavailable('the store does not answer in time')), PATIENCE_MS)
  try {
    return await Promise.race([read, late])
  } finally {
    clearTimeout(timer)
  }
}
