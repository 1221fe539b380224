import { randomUUID } from 'node:crypto'
import type { Transaction } from '#kysely'
import type { Database } from './database.ts'
import { freeLease, holdsLease, takeLease } from './lease-store.ts'
import type { Tables } from './schema.ts'

/** A lease expires this long after its last renewal, so that another process can continue the work of one that crashed. */
const LEASE_MS = 10_000
const RENEWAL_MS = 3000

/** Another process has taken the lease over. */
export class LeaseLost extends Error {}

/**
 * The exclusive right, among all processes on the store, to do the work of a name.
 *
 * A lease can be lost while its holder works: when the process is suspended, or the store is unavailable until the lease
 * expires. Work with effects of its own (an order, a deletion) watches `lost`; its result is written by `commit`.
 */
export interface Lease {
  /** Aborted once the lease is lost. */
  lost: AbortSignal
  /**
   * Runs a transaction that is rolled back unless the lease is still held.
   * @throws {LeaseLost}
   */
  commit: <T>(work: (transaction: Transaction<Tables>) => Promise<T>) => Promise<T>
  /** Frees the name for others at once. Never throws: a lease that cannot be freed expires. */
  release: () => Promise<void>
}

/**
 * Acquires the lease of a name; undefined while another holder, in this process or in another, has it. The caller
 * retries later, and cancels that itself. Once acquired, the caller checks again whether the work is still to be done,
 * because the former holder may just have finished it. Clocks of processes on one store may
 * differ by less than the time of a lease.
 * @throws when the store is unavailable
 */
export type AcquireLease = (name: string) => Promise<Lease | undefined>

export function createLeases(db: Database, now: () => number): AcquireLease {
  return async (name) => {
    const holder = randomUUID()
    let expiresAt = now() + LEASE_MS
    const take = async () =>
      takeLease(db.write, name, holder, { now: now(), expiresAt: (expiresAt = now() + LEASE_MS) })
    if (!(await take())) return undefined

    const lost = new AbortController()
    const renewal = setInterval(() => {
      const before = expiresAt
      take().then(
        (isHeld) => isHeld || lost.abort(),
        () => {
          expiresAt = before
          if (now() >= before) lost.abort()
        },
      )
    }, RENEWAL_MS)
    renewal.unref()

    return {
      lost: lost.signal,
      commit: (work) =>
        db.transaction(async (transaction) => {
          const result = await work(transaction)
          if (!(await holdsLease(transaction, name, holder))) throw new LeaseLost(`the lease of ${name} was lost`)
          return result
        }),
      async release() {
        clearInterval(renewal)
        await freeLease(db.write, name, holder).catch(() => {})
      },
    }
  }
}
