import type { FastifyRequest } from 'fastify'
import type { CollectionStatsNeeds } from '../../collections/stats-routes.ts'
import { pageLanguage } from '../../http/accept.ts'
import { Problem } from '../../http/problem.ts'
import type { Origin } from '../../http/origin.ts'
import { route, type Route } from '../../http/route.ts'
import { forbidCaching } from '../../links/api/owner-routes.ts'
import { addresses } from '../../links/link.ts'
import type { Links } from '../../links/open.ts'
import type { StatsSources } from '../../scans/api/routes.ts'
import type { Shares } from '../../shares/open.ts'
import { fileNames, sendFile, type FileView } from './files.ts'
import { pageQueryOf, readForPage, sourceOfLink, type PageSource } from './load.ts'
import { collectionName, sourceOfCollection } from './of-collection.ts'

/** What the files need from the rest of the program. */
export interface StatisticsFilesNeeds extends Omit<CollectionStatsNeeds, 'scans'> {
  scans: CollectionStatsNeeds['scans'] & StatsSources['scans']
  links: Pick<Links, 'readByToken'>
  shares: Pick<Shares, 'findByToken'>
  origin: Origin
}

interface FileRoute {
  Params: { token: string; code?: string; file: string }
  Querystring: Record<string, unknown>
}
type FileRequest = FastifyRequest<FileRoute>

/** The statistics that a page shows. */
interface Shown extends Pick<FileView, 'prefix' | 'name' | 'placement'> {
  source: PageSource
  /** Whether the reader may see what comes close to single scans. */
  hasDetails: boolean
}

/**
 * What the pages of owners, of collections and of shares show, as files: `/m/<token>/statistics/<file>`,
 * `/c/<token of a collection>/statistics/<file>`, the same below `/<code>` of a link in it, `/s/<share-token>/statistics/<file>`
 */
export function statisticsFileRoutes(needs: StatisticsFilesNeeds): Record<'owned' | 'collected' | 'shared', Route> {
  const { links, shares, collections, origin } = needs
  const ofLink = (request: FileRequest, { id, code }: { id: number; code: string }) => ({
    source: sourceOfLink(needs, request, id),
    prefix: code,
    name: addresses(code, origin.of(request)).short_url,
  })
  return {
    owned: fileRoute(async (request) => {
      const { token, code } = request.params
      const { link } = await links.readByToken(code === undefined ? token : { collectionToken: token, code })
      const placement: Shown['placement'] = (id) => link.placements.find((each) => each.id === id)?.name
      return { ...ofLink(request, link), hasDetails: true, placement }
    }),
    collected: fileRoute(async (request) => {
      const collection = await collections.find(request.params.token)
      const name = collectionName(collection, pageLanguage(request))
      return { source: sourceOfCollection(needs, request, collection), hasDetails: true, prefix: 'collection', name }
    }),
    shared: fileRoute(async (request) => {
      const link = await shares.findByToken(request.params.token)
      return { ...ofLink(request, link), hasDetails: link.csv }
    }),
  }
}

function fileRoute(find: (request: FileRequest) => Promise<Shown>): Route {
  return route<FileRoute>({
    schema: { hide: true },
    onSend: forbidCaching,
    config: { work: 'statistics' },
    async handler(request: FileRequest, reply) {
      const { file } = request.params
      if (!fileNames.has(file)) throw new Problem('not_found', 'the statistics have no such file')
      const { source, hasDetails, ...shown } = await find(request)
      const asked = pageQueryOf({ ...request.query, view: 'detail' }, source.now(), hasDetails, source.isOfMany)
      return sendFile(reply.header('vary', 'accept-language'), file, {
        ...(await readForPage(source, asked)),
        language: pageLanguage(request),
        ...shown,
      })
    },
  })
}
