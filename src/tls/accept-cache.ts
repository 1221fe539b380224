import { createBoundedCache } from '../lib/bounded-cache.ts'
import type { StoredCertificate } from './certificate-store.ts'
import type { Accept, Acceptor, Identity } from './listener.ts'
import { ticketKey, type TicketSecrets } from './tickets.ts'

/** How many names are cached; each takes some tens of kilobytes. */
const MAX_NAMES = 1000

/** When a cached certificate is stale: another process on the store may have renewed it. */
const STALE_MS = 5 * 60 * 1000

/** A cache of TLS servers by name. */
export interface AcceptCache {
  /** A stale entry is returned as stale once, so that one caller reloads it, and serves until then. */
  get: (name: string) => { accept: Accept; isStale: boolean } | undefined
  put: (certificate: StoredCertificate) => Accept
  /** Makes the entries of these names stale, or all. */
  expire: (names?: string[]) => void
}

interface AcceptCacheDeps {
  tickets: TicketSecrets
  now: () => number
  monotonic: () => number
  createAcceptor: (identity: Identity, ticketKey: Buffer) => Acceptor
}

export function createAcceptCache({ tickets, now, monotonic, createAcceptor }: AcceptCacheDeps): AcceptCache {
  interface Entry {
    acceptor: Acceptor
    notAfter: number
    /** Of the key of its session tickets. */
    secret: string
    /** On the monotonic clock. */
    loadedAt: number
  }
  const cache = createBoundedCache<Entry>(MAX_NAMES)
  let expiredAt = Number.NEGATIVE_INFINITY
  return {
    get(name) {
      const entry = cache.get(name)
      if (entry === undefined || entry.notAfter <= now()) return undefined
      const secret = tickets.current()
      if (entry.secret !== secret) {
        entry.acceptor.setTicketKey(ticketKey(secret, name))
        entry.secret = secret
      }
      const isStale = monotonic() - entry.loadedAt >= STALE_MS || entry.loadedAt <= expiredAt
      if (isStale) entry.loadedAt = monotonic()
      return { accept: entry.acceptor.accept, isStale }
    },
    put({ name, key, chain, notAfter }) {
      const secret = tickets.current()
      const acceptor = createAcceptor({ key, chain }, ticketKey(secret, name))
      cache.set(name, { acceptor, notAfter, secret, loadedAt: monotonic() }, 1)
      return acceptor.accept
    },
    expire(names) {
      if (names === undefined) expiredAt = monotonic()
      for (const name of names ?? []) {
        const entry = cache.get(name)
        if (entry !== undefined) entry.loadedAt = Number.NEGATIVE_INFINITY
      }
    },
  }
}
