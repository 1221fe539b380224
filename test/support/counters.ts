import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import type { Counters } from '../../src/limits/counter.ts'
import { createMemoryCounters } from '../../src/limits/memory-counter.ts'
import { openRedisCounters } from '../../src/nodes/counters/redis-counter.ts'
import { endOfFile, undoLater } from './cleanup.ts'
import { PATIENCE_MS } from './poll.ts'
import { requireProgram } from './programs.ts'
import { startRedis, type RedisServer } from './redis.ts'

/** Counts of limits, empty, and with a clock of their own. */
export interface TestCounts {
  openCounters: (t: TestContext) => Promise<Counters>
  /** Settings of a service that counts there. */
  env: Record<string, string>
  /** The time of day and the monotonic clock of the service. */
  now: () => number
  /** Advances the clock, also that of the windows. */
  advance: (ms: number) => Promise<void>
}

/** Where limits can be counted. */
export interface CountsDriver {
  name: string
  /** Undefined if the test is skipped because the server is not installed. */
  open: (t: TestContext) => Promise<TestCounts | undefined>
  /** Whether a window is as long as the test's clock says. Otherwise it is shorter, by what the test takes. */
  isExact: boolean
}

const START = Date.UTC(2026, 10, 21)

/** Both stores of counts. A test must behave alike with each. */
export const countsDrivers: CountsDriver[] = [
  {
    name: 'counts in memory',
    isExact: true,
    async open() {
      const clock = { now: START }
      const now = () => clock.now
      const advance = async (ms: number) => void (clock.now += ms)
      return { openCounters: async () => createMemoryCounters(now), env: {}, now, advance }
    },
  },
  { name: 'counts in Redis', isExact: false, open: openRedis },
]

const fileEnd = endOfFile()
let started: Promise<RedisServer> | undefined

/** One server per process of tests, which is emptied for each of them. */
export async function openRedisServer(t: TestContext): Promise<RedisServer | undefined> {
  if (!requireProgram(t, 'redis-server', 'redis-server')) return undefined
  const server = await (started ??= startRedis(fileEnd))
  await server.use((client) => client.flushall())
  return server
}

async function openRedis(t: TestContext): Promise<TestCounts | undefined> {
  const server = await openRedisServer(t)
  if (server === undefined) return undefined
  const clock = { now: START }
  const advance = (ms: number) => {
    clock.now += ms
    return server.use(async (client) => {
      for (const key of await client.keys('*')) await client.pexpire(key, (await client.pttl(key)) - ms)
    })
  }
  const now = () => clock.now
  return { openCounters: (t) => openCounters(t, server.url, now), env: { REDIS_URL: server.url }, now, advance }
}

async function openCounters(t: TestContext, url: string, monotonic: () => number): Promise<Counters> {
  const invocation = readConfig([], { REDIS_URL: url }, '/nonexistent')
  const address = invocation.run === 'serve' ? invocation.config.redisUrl : undefined
  assert.ok(address)
  const local = createMemoryCounters(monotonic)
  const log = { warn: (fault: object) => assert.fail(JSON.stringify(fault)) }
  const counters = await openRedisCounters({ address, salt: local.salt, local, monotonic, log, commandMs: PATIENCE_MS })
  undoLater(t, counters.close)
  return counters
}
