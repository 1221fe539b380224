import { randomBytes } from 'node:crypto'
import { WINDOW_MS, type Counter, type CounterName, type Counters, type Window } from './counter.ts'

/** About 20 MiB. An attacker with more addresses than this can exceed the quotas. */
const MAX_KEYS = 100_000

/** Counters of this process, whose salt is stored nowhere: a restart resets all counts. */
export function createMemoryCounters(monotonic: () => number): Counters {
  const salt = randomBytes(32).toString('hex')
  const create = () => createMemoryCounter({ windowMs: WINDOW_MS, maxKeys: MAX_KEYS, monotonic })
  const counters: Record<CounterName, Counter> = {
    clients: create(),
    networks: create(),
    allocations: create(),
    guesses: create(),
    links: create(),
  }
  return { of: (name) => counters[name], salt: () => salt, metrics: [], close: async () => {} }
}

/**
 * @param maxKeys keys in memory at most; past that, at least the half whose windows began last remain
 * @param monotonic a clock that never goes back
 */
export function createMemoryCounter(options: { windowMs: number; maxKeys: number; monotonic: () => number }): Counter {
  const { windowMs, maxKeys, monotonic } = options
  // Two generations: dropping the old one is cheap, while finding the oldest of many windows is not.
  let young = new Map<number, Window>()
  let old = new Map<number, Window>()

  function current(key: number): Window | undefined {
    const window = young.get(key) ?? old.get(key)
    return window !== undefined && window.until > monotonic() ? window : undefined
  }

  function begin(key: number): Window {
    if (young.size >= maxKeys / 2) {
      old = young
      young = new Map()
    }
    const window = unused()
    young.set(key, window)
    return window
  }

  const unused = (): Window => ({ used: 0, until: monotonic() + windowMs })
  const read = async (key: number): Promise<Window> => current(key) ?? unused()

  return {
    async charge(key, quota, units = 1) {
      const window = current(key) ?? begin(key)
      const isRefused = window.used + units > quota
      if (!isRefused) window.used += units
      const refund = () => {
        if (!isRefused) window.used = Math.max(0, window.used - units)
        return read(key)
      }
      return { ...window, isRefused, refund }
    },
    read,
  }
}
