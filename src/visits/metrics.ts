import type { Metric } from '../http/metric.ts'
import type { Resolver } from './resolve.ts'

type Resolve = Resolver['resolve']

/** Counts how often the cache of links has an answer. */
export function createCacheMetrics() {
  let lookups = 0
  let misses = 0
  const metrics: Metric[] = [
    {
      name: 'quirl_link_cache_lookups_total',
      help: 'Codes that were looked up in the cache of links',
      type: 'counter',
      read: () => lookups,
    },
    {
      name: 'quirl_link_cache_misses_total',
      help: 'Codes that were read from the store, because the cache did not have them',
      type: 'counter',
      read: () => misses,
    },
  ]
  return {
    metrics,
    lookup: (resolve: Resolve): Resolve => {
      return (code) => {
        lookups++
        return resolve(code)
      }
    },
    miss: <T>(find: (key: string) => T) => {
      return (key: string): T => {
        misses++
        return find(key)
      }
    },
  }
}
