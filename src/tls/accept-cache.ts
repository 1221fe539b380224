import { createBoundedCache } from '../lib/bounded-cache.ts'
import type { StoredCertificate } from './certificate-store.ts'
import type { Accept, Identity } from './listener.ts'
import type { TicketKeys } from './tickets.ts'

/** How many names are cached; each takes some tens of kilobytes. */
const MAX_NAMES = 1000

/** When a cached certificate is stale: another process on the store may have renewed it. */
const STALE_MS = 5 * 60 * 1000

/** A cache of TLS servers by name. An entry is valid for one period of ticket keys. */
export interface AcceptCache {
  /** A stale entry is returned as stale once, so that one caller reloads it. */
  get: (name: string) => { accept: Accept; isStale: boolean } | undefined
  put: (certificate: StoredCertificate) => Promise<Accept>
  /** Makes the entries of these names stale, or all. */
  expire: (names?: string[]) => void
}

interface AcceptCacheDeps {
  tickets: TicketKeys
  now: () => number
  monotonic: () => number
  createAccept: (identity: Identity) => Accept
}

export function createAcceptCache({ tickets, now, monotonic, createAccept }: AcceptCacheDeps): AcceptCache {
  interface Entry {
    accept: Accept
    notAfter: number
    period: number
    /** On the monotonic clock. */
    loadedAt: number
  }
  const cache = createBoundedCache<Entry>(MAX_NAMES)
  let expiredAt = Number.NEGATIVE_INFINITY
  return {
    get(name) {
      const entry = cache.get(name)
      if (entry === undefined || entry.notAfter <= now() || entry.period !== tickets.period()) return undefined
      const isStale = monotonic() - entry.loadedAt >= STALE_MS || entry.loadedAt <= expiredAt
      if (isStale) entry.loadedAt = monotonic()
      return { accept: entry.accept, isStale }
    },
    async put({ name, key, chain, notAfter }) {
      const period = tickets.period()
      const accept = createAccept({ key, chain, ticketKey: await tickets.keyFor(name) })
      cache.set(name, { accept, notAfter, period, loadedAt: monotonic() }, 1)
      return accept
    },
    expire(names) {
      if (names === undefined) expiredAt = monotonic()
      for (const name of names ?? []) cache.delete(name)
    },
  }
}
