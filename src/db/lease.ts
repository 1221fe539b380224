import { randomUUID } from 'node:crypto'
import type { Transaction } from '#kysely'
import type { Database, Executor, Urgency } from './database.ts'
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
 * because the former holder may just have finished it. Leases expire by the clock of the store.
 * @throws when the store is unavailable
 */
export type AcquireLease = (name: string) => Promise<Lease | undefined>

/** @param urgency of work that goes on while the disk is full; absent for work that waits until there is room */
export function createLeases(db: Database, monotonic: () => number, urgency?: Urgency): AcquireLease {
  const { change, transaction } = changesOf(db, urgency)
  return async (name) => {
    const holder = randomUUID()
    let expiresAt = 0
    const take = async () => {
      const startedAt = monotonic()
      const times = { now: db.time(), lengthMs: LEASE_MS }
      const isHeld = await change((executor) => takeLease(executor, name, holder, times))
      // Earlier than in the store, where it began during the statement.
      if (isHeld) expiresAt = startedAt + LEASE_MS
      return isHeld
    }
    if (!(await take())) return undefined

    const lost = new AbortController()
    const renewal = setInterval(() => {
      take().then(
        (isHeld) => isHeld || lost.abort(),
        () => monotonic() >= expiresAt && lost.abort(),
      )
    }, RENEWAL_MS)
    renewal.unref()

    return {
      lost: lost.signal,
      commit: (work) =>
        transaction(async (executor) => {
          const result = await work(executor)
          if (!(await holdsLease(executor, name, holder))) throw new LeaseLost(`the lease of ${name} was lost`)
          return result
        }),
      async release() {
        clearInterval(renewal)
        await change((executor) => freeLease(executor, name, holder)).catch(() => {})
      },
    }
  }
}

/** How leases change the store: by one statement, and by a transaction. */
function changesOf(db: Database, urgency: Urgency | undefined) {
  if (urgency === undefined) {
    return { change: <T>(work: (executor: Executor) => Promise<T>) => work(db.write), transaction: db.transaction }
  }
  const transaction: Database['transaction'] = (work) => db.urgent(urgency, work)
  return { change: transaction, transaction }
}
