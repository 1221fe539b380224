import type { Database } from '../db/database.ts'
import type { Metric } from '../http/metric.ts'
import { createVisitedOf } from '../links/visited.ts'
import type { Scans } from '../scans/open.ts'
import { createDecide, type Decide } from './decide.ts'
import { createVisitorOf, type VisitorOf } from './platform.ts'
import { createResolver, type Resolver } from './resolve.ts'
import { suspensionProblem } from '../links/suspension.ts'
import type { LiveLink } from './live-link.ts'

type Resolve = Resolver['resolve']

/**
 * The link of a code, also a paused one, from the cache if possible.
 * @throws {Problem} 410 or 451 for a suspended link
 */
type LinkOf = (code: string) => Promise<Pick<LiveLink, 'id' | 'code' | 'placements'> | 'gone' | undefined>

/** Resolves short URLs, from the cache if possible, and decides where their visits lead. */
export interface Visits extends Resolver {
  linkOf: LinkOf
  /** Decides visits of links with rules. */
  decide: Decide
  visitorOf: VisitorOf
  metrics: Metric[]
  /** Does nothing: visits have no background work. */
  close: () => void
}

/** What visits need of the rest of the program. */
export interface VisitsNeeds {
  db: Database
  scans: Pick<Scans, 'agentOf'> & Parameters<typeof createDecide>[0]
  monotonic: () => number
  /** How long a link may be cached. */
  lifeMs: number
}

export function openVisits({ db, scans, monotonic, lifeMs }: VisitsNeeds): Visits {
  const { lookup, miss, metrics } = createCacheMetrics()
  const resolver = createResolver(miss(createVisitedOf(db)), monotonic, lifeMs)
  const resolve = lookup(resolver.resolve)
  return {
    ...resolver,
    resolve,
    linkOf: createLinkOf(resolve),
    decide: createDecide(scans),
    visitorOf: createVisitorOf(scans.agentOf),
    metrics,
    close() {},
  }
}

function createLinkOf(resolve: Resolver['resolve']): LinkOf {
  return async (code) => {
    const resolution = await resolve(code)
    if ('live' in resolution) return resolution.live
    if (resolution.state === 'protected') return resolution.locked
    if (resolution.state === 'suspended') throw suspensionProblem(resolution.suspension)
    return resolution.state === 'gone' ? 'gone' : undefined
  }
}

/** Counts how often the cache of links has an answer. */
function createCacheMetrics() {
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
