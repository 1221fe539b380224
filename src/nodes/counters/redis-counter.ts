import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import {
  WINDOW_MS,
  type ChargeOutcome,
  type Counter,
  type CounterName,
  type Counters,
  type Window,
} from '../../limits/counter.ts'
import { connectRedis, type RedisConnection, type RedisConnectionNeeds } from './redis-connection.ts'

/**
 * Charges, refunds or reads, so that a refused charge counts nothing, and a refund begins no window. Returns the units with
 * the charge, and the milliseconds until the window ends. KEYS: the counter. ARGV: units (below 0 for a refund, 0 to read),
 * seconds of a window, quota.
 */
const script = `
local used = tonumber(redis.call('get', KEYS[1]) or '0')
local units = tonumber(ARGV[1])
local left = redis.call('pttl', KEYS[1])
if left < 0 then
  left = ARGV[2] * 1000
  if units > 0 and units <= tonumber(ARGV[3]) then redis.call('set', KEYS[1], units, 'EX', ARGV[2]) end
elseif used + units >= 0 and (units < 0 or used + units <= tonumber(ARGV[3])) then
  redis.call('incrby', KEYS[1], units)
end
return {math.max(0, used + units), left}
`

/** What the counters need of the rest of the program. */
export interface RedisCountersNeeds extends RedisConnectionNeeds {
  /** The salt of all nodes. */
  salt: () => string
  /** Counts while Redis is away. */
  local: Counters
}

/** Counters of all nodes together, in Redis or Valkey. While that is away, each node counts by itself. */
export async function openRedisCounters(needs: RedisCountersNeeds): Promise<Counters> {
  const { salt, local, monotonic } = needs
  const connection = await connectRedis(needs)
  const create = (name: CounterName) => createRedisCounter({ connection, name, local: local.of(name), monotonic })
  const counters = {
    clients: create('clients'),
    networks: create('networks'),
    allocations: create('allocations'),
    guesses: create('guesses'),
    links: create('links'),
  }
  return { of: (name) => counters[name], salt, metrics: connection.metrics, close: connection.close }
}

interface RedisCounterNeeds {
  connection: Pick<RedisConnection, 'client' | 'run'>
  name: CounterName
  local: Counter
  monotonic: () => number
}

function createRedisCounter({ connection: { client, run }, name, local, monotonic }: RedisCounterNeeds): Counter {
  const limiterOf = createLimiters(client, name)
  const windowOf = ({ consumedPoints, msBeforeNext }: RateLimiterRes): Window => ({
    used: consumedPoints,
    until: monotonic() + msBeforeNext,
  })

  /** Its own way to read takes four commands. */
  async function refund(key: number, units: number): Promise<Window> {
    const result = await run(() => limiterOf(0).reward(key, units))
    return result === undefined ? local.read(key) : windowOf(result)
  }

  const read = (key: number) => refund(key, 0)

  return {
    async charge(key, quota, units = 1): Promise<ChargeOutcome> {
      const result = await run(() => limiterOf(quota).penalty(key, units))
      if (result === undefined) return local.charge(key, quota, units)
      const { used, until } = windowOf(result)
      const isRefused = used > quota
      const undo = () => (isRefused || monotonic() >= until ? read(key) : refund(key, units))
      return { used: isRefused ? used - units : used, until, isRefused, refund: undo }
    },
    read,
  }
}

/** A limiter has one quota; there are as many as settings. */
function createLimiters(client: RedisConnection['client'], name: CounterName): (quota: number) => RateLimiterRedis {
  const limiters = new Map<number, RateLimiterRedis>()
  return (quota) => {
    const limiter =
      limiters.get(quota) ??
      new RateLimiterRedis({
        storeClient: client,
        keyPrefix: `quirl:${name}`,
        points: Math.min(quota, Number.MAX_SAFE_INTEGER),
        duration: WINDOW_MS / 1000,
        customIncrTtlLuaScript: script,
      })
    limiters.set(quota, limiter)
    return limiter
  }
}
