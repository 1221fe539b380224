import type { Database } from '../db/database.ts'
import type { Metric } from '../http/metric.ts'
import { createVisitedOf } from '../links/visited.ts'
import type { Scans } from '../scans/open.ts'
import { createDecide, type Decide } from './decide.ts'
import { createLinkOf, type LinkOf } from './link-of.ts'
import { createCacheMetrics } from './metrics.ts'
import { createVisitorOf, type VisitorOf } from './platform.ts'
import { createResolver, type Resolver } from './resolve.ts'

/** Resolves short URLs, from the cache if possible, and records their visits. */
export interface Visits extends Resolver {
  linkOf: LinkOf
  record: RecordVisit
  /** Decides visits of links with rules, whose scans `recordScan` records. */
  decide: Decide
  recordScan: Scans['recordScan']
  visitorOf: VisitorOf
  metrics: Metric[]
  /** Does nothing: visits have no background work. */
  close: () => void
}

/** Records a visit of a link, then calls `recorded`, whether or not it could be recorded. */
export type RecordVisit = Scans['record']

/** What visits need of the rest of the program. */
export interface VisitsNeeds {
  db: Pick<Database, 'prepareRead'>
  scans: Pick<Scans, 'record' | 'recordScan' | 'agentOf'> & Parameters<typeof createDecide>[0]
  monotonic: () => number
  /** How long a link may be cached. */
  lifeMs: number
}

export function openVisits({ db, scans, monotonic, lifeMs }: VisitsNeeds): Visits {
  const { lookup, miss, metrics } = createCacheMetrics()
  const resolver = createResolver(miss(createVisitedOf(db)), monotonic, lifeMs)
  const resolve = lookup(resolver.resolve)
  const { record, recordScan } = scans
  return {
    ...resolver,
    resolve,
    linkOf: createLinkOf(resolve),
    record,
    recordScan,
    decide: createDecide(scans),
    visitorOf: createVisitorOf(scans.agentOf),
    metrics,
    close() {},
  }
}
