import type { FastifyInstance } from 'fastify'
import { manyStatsRoute } from './scans/many-routes.ts'
import { ownerAccess } from './scans/access.ts'
import { exportRoutes, statsRoutes } from './scans/routes.ts'
import type { Services } from './services.ts'
import { shareAccess } from './shares/access.ts'
import { shareRoutes } from './shares/routes.ts'

/** The handlers of statistics: for the owner of a link, for readers of a share, and of many links. */
export function statisticsHandlers({ links, scans, limits, shares, origin, now }: Services) {
  const { slots } = limits
  const [owner, reader] = [ownerAccess(links), shareAccess(shares)]
  return {
    shares: shareRoutes({ shares, links, origin, limits }),
    owned: {
      stats: statsRoutes({ scans, access: owner, slots, now }),
      scans: exportRoutes({ scans, access: owner, slots }),
    },
    shared: {
      stats: statsRoutes({ scans, access: reader, slots, now }),
      scans: exportRoutes({ scans, access: reader, slots }),
    },
    ofMany: manyStatsRoute({ scans, links, slots, now, limits }),
  }
}

/** Their paths below `/api`. */
export function addStatisticsRoutes(api: FastifyInstance, handlers: ReturnType<typeof statisticsHandlers>): void {
  const { owned, shares, shared, ofMany } = handlers
  api.get('/manage/:token/stats', owned.stats.byPath)
  api.get('/manage/stats', owned.stats.byHeader)
  api.get('/manage/:token/scans.csv', owned.scans.byPath)
  api.get('/manage/scans.csv', owned.scans.byHeader)
  api.post('/manage/:token/share', shares.create.byPath)
  api.post('/manage/share', shares.create.byHeader)
  api.get('/manage/:token/shares', shares.list.byPath)
  api.get('/manage/shares', shares.list.byHeader)
  api.delete('/manage/:token/shares/:id', shares.revoke.byPath)
  api.delete('/manage/shares/:id', shares.revoke.byHeader)
  api.get('/share/:token/stats', shared.stats.byPath)
  api.get('/share/stats', shared.stats.byHeader)
  api.get('/share/:token/scans.csv', shared.scans.byPath)
  api.get('/share/scans.csv', shared.scans.byHeader)
  api.post('/stats', ofMany)
}
