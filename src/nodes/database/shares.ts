import { AsyncLocalStorage } from 'node:async_hooks'
import { StoreBusy } from '../../db/unavailable.ts'
import { createFairPool } from '../../lib/fair-pool.ts'
import { servedNetwork, type ServedNetwork } from '../../lib/served-network.ts'
import { createPlaces } from '../../lib/places.ts'
import type { Pool, PostgresConnection } from './pool.ts'

/** What no request has caused is for one holder together. */
const OWN: ServedNetwork = { network: '', allocation: '' }

/** The connections of a pool, shared by the networks whose requests want them. */
export interface ConnectionShares {
  /** A pool whose connections take places. */
  pool: Pool
  /** Runs work that has one place for all connections that it takes: what waits for a second one while it has the first ends never. */
  run: <T>(work: () => Promise<T>) => Promise<T>
}

interface Waiting {
  start: () => void
  served: ServedNetwork
}

/**
 * A network has half of the connections at most: those whose statements wait for each other's locks, or run for seconds, would else keep
 * everybody out. Each other network has one at once, of as many again; who waits is served in turns of networks.
 * @param waitMs how long who wants a connection waits for a place
 */
export function shareConnections(pool: Pool, max: number, waitMs: number): ConnectionShares {
  const takePlace = createTakePlace(max, waitMs)
  const inside = new AsyncLocalStorage<true>()

  async function run<T>(work: () => Promise<T>): Promise<T> {
    if (inside.getStore() === true) return work()
    const free = await takePlace()
    try {
      return await inside.run(true, work)
    } finally {
      free()
    }
  }

  async function connect(): Promise<PostgresConnection> {
    if (inside.getStore() === true) return pool.connect()
    const free = await takePlace()
    try {
      return releasing(await pool.connect(), free)
    } catch (error) {
      free()
      throw error
    }
  }

  return { pool: { connect, end: () => pool.end() }, run }
}

/** @returns a function that resolves, when the caller has a place, to what frees it */
function createTakePlace(max: number, waitMs: number): () => Promise<() => void> {
  const queue = createFairPool<Waiting>({ capacity: Infinity })
  const places = createPlaces(Math.max(1, Math.floor(max / 2)))

  function startNext(): void {
    while (places.startable() > 0) {
      const next = queue.take(places.mayTake)
      if (next === undefined) return
      places.take(next.served)
      next.start()
    }
  }

  function wait(served: ServedNetwork): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const entry = { start: resolve, served }
    const timer = setTimeout(() => {
      if (!queue.remove(entry)) return
      places.leave(served)
      reject(new StoreBusy('PostgreSQL: other work has all connections that this one may have'))
    }, waitMs)
    places.wait(served)
    queue.put(entry, { ...served, client: served.network })
    startNext()
    return promise.finally(() => clearTimeout(timer))
  }

  return async () => {
    const served = servedNetwork() ?? OWN
    await wait(served)
    return () => {
      places.free(served)
      startNext()
    }
  }
}

/** The same connection for one caller, whose place becomes free with it. */
function releasing(connection: PostgresConnection, free: () => void): PostgresConnection {
  return {
    ...connection,
    release(discard) {
      connection.release(discard)
      free()
    },
  }
}
