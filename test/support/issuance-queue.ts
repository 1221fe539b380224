import { createPrivateKey } from 'node:crypto'
import type { TestContext } from 'node:test'
import { issueFor } from './certificates.ts'
import { undoLater } from './cleanup.ts'
import type { StoreDriver } from './drivers.ts'
import { poll } from './poll.ts'
import { countCalls } from './counted-calls.ts'
import type { Database } from '../../src/db/database.ts'
import { newKey } from '../../src/tls/account.ts'
import { createIssuanceQueue, type IssuanceQueue } from '../../src/tls/issuance-queue.ts'
import { countQueued } from '../../src/tls/issuance-store.ts'
import { createIssuer } from '../../src/tls/issuer.ts'
import { createOrderLimiter } from '../../src/tls/order-limiter.ts'

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The same for all: the tests are not about keys. */
const key = createPrivateKey(newKey())

export interface Order {
  name: string
  at: number
}

/** How long nothing may happen until the clock advances. */
const IDLE_MS = 20

interface Sleeper {
  until: number
  wake: () => void
}

/**
 * A clock that advances to the next time for which somebody waits, when nothing else goes on.
 * @param calls how many calls of the store are under way: on a slow machine they take longer than nothing may happen
 */
function createClock(t: TestContext, { calls, state: stateOf }: { calls: () => number; state: () => unknown }) {
  const sleepers = new Set<Sleeper>()
  let now = Date.UTC(2026, 10, 21)
  let before: unknown
  const timer = setInterval(() => {
    const state = `${String(stateOf())} ${sleepers.size} ${now}`
    const isIdle = state === before && calls() === 0
    before = state
    if (!isIdle || sleepers.size === 0) return
    now = Math.max(now, Math.min(...Array.from(sleepers, ({ until }) => until)))
    for (const each of sleepers) if (each.until <= now) each.wake()
  }, IDLE_MS)
  undoLater(t, () => clearInterval(timer))
  return {
    now: () => now,
    pass: (ms: number) => void (now += ms),
    sleep: async (ms: number, { signal }: { signal: AbortSignal }) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const sleeper = { until: now + ms, wake: resolve }
      sleepers.add(sleeper)
      signal.addEventListener('abort', () => resolve(), { once: true })
      await promise
      sleepers.delete(sleeper)
      signal.throwIfAborted()
    },
  }
}

/** Processes on one store. */
export interface QueueSetting {
  db: Database
  start: () => IssuanceQueue
  orders: Order[]
  warned: unknown[]
  errors: unknown[]
  now: () => number
  pass: (ms: number) => void
  /** Has orders of these names fail, or of all. */
  fail: (error: Error | undefined, names?: string[]) => void
  /** Has orders of names take so long. */
  slow: (names: string[], ms: number) => void
  unserved: Set<string>
  /** Resolves when no name waits and nothing is ordered. */
  emptied: () => Promise<void>
}

/** Processes whose time advances when nothing else goes on. */
export async function setQueue(t: TestContext, driver: StoreDriver): Promise<QueueSetting | undefined> {
  const opened = await driver.open(t)
  if (opened === undefined) return undefined
  const { db, calls } = countCalls(opened)
  let failure: { error: Error; names: string[] | undefined } | undefined
  const delays = new Map<string, number>()
  const [orders, warned, errors, unserved] = [[] as Order[], [] as unknown[], [] as unknown[], new Set<string>()]
  const { now, pass, sleep } = createClock(t, { calls, state: () => orders.length })
  const clock = { now, monotonic: now }
  const log = {
    warn: (fields: unknown) => void warned.push(fields),
    error: (fields: unknown) => void errors.push(fields),
  }
  return {
    db,
    orders,
    warned,
    errors,
    unserved,
    now,
    pass,
    slow: (names, ms) => names.forEach((name) => delays.set(name, ms)),
    fail: (error, names) => (failure = error && { error, names }),
    start() {
      const limiter = createOrderLimiter({
        db,
        ...clock,
        sleep,
        log: { warn: (fields: unknown) => void warned.push(fields) },
      })
      const issuer = createIssuer({
        db,
        ...clock,
        sleep,
        limiter,
        log: { warn: () => {} },
        withAccount: (work) => work({ key, account: 'https://authority.example/1' }),
        async order(_signer, { name, csr }, signal) {
          orders.push({ name, at: now() })
          // The authority is as it was when the order came.
          const { error } = failure?.names?.includes(name) === false ? {} : (failure ?? {})
          await new Promise((resolve) => setImmediate(resolve))
          const delay = delays.get(name)
          if (delay !== undefined) await sleep(delay, { signal })
          if (error !== undefined) throw error
          return issueFor(csr, name, { from: now() - MINUTE, to: now() + 90 * DAY })
        },
      })
      const queue = createIssuanceQueue({
        db,
        ...clock,
        sleep,
        issuer,
        isServed: (name) => !unserved.has(name),
        registrableOf: (name) => name.split('.').slice(-2).join('.'),
        log,
      })
      undoLater(t, async () => void (await Promise.all([queue.close(), issuer.close()])))
      return queue
    },
    emptied: () => poll(async () => (await countQueued(db.read)).count === 0),
  }
}
