import { randomUUID } from 'node:crypto'
import type { Transaction } from '#kysely'
import type { Database, LeaseStore, Urgency } from './database.ts'
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
 * because the former holder may just have finished it.
 * @throws when the store is unavailable, or takes no changes of this urgency
 */
export type AcquireLease = (name: string) => Promise<Lease | undefined>

/** @param urgency of work that goes on while the disk is full; absent for work that waits until there is room */
export function createLeases(
  db: Pick<Database, 'leases' | 'transaction' | 'urgent'>,
  monotonic: () => number,
  urgency?: Urgency,
): AcquireLease {
  const { leases } = db
  const transaction: Database['transaction'] =
    urgency === undefined ? db.transaction : (work) => db.urgent(urgency, work)
  return async (name) => {
    const holder = randomUUID()
    let expiresAt = 0
    const take = async () => {
      const startedAt = monotonic()
      const isHeld = await leases.take(name, holder, LEASE_MS, urgency)
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
      commit: commitHeld(transaction, (executor) => leases.holds(executor, name, holder), name),
      async release() {
        clearInterval(renewal)
        await leases.free(name, holder).catch(() => {})
      },
    }
  }
}

function commitHeld(
  transaction: Database['transaction'],
  isHeld: (executor: Transaction<Tables>) => Promise<boolean>,
  name: string,
): Lease['commit'] {
  return (work) =>
    transaction(async (executor) => {
      const result = await work(executor)
      if (!(await isHeld(executor))) throw new LeaseLost(`the lease of ${name} was lost`)
      return result
    })
}

/**
 * The leases of a process that is alone on its store: nobody takes one over, and all end with the process.
 * @param requireChangeable throws while the store refuses changes of this urgency
 */
export function createLocalLeases(requireChangeable: (urgency: Urgency | undefined) => void): LeaseStore {
  const holders = new Map<string, string>()
  return {
    async take(name, holder, _lengthMs, urgency) {
      requireChangeable(urgency)
      const current = holders.get(name) ?? holder
      holders.set(name, current)
      return current === holder
    },
    holds: async (_transaction, name, holder) => holders.get(name) === holder,
    async free(name, holder) {
      if (holders.get(name) === holder) holders.delete(name)
    },
  }
}
