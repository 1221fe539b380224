import type { FastifyRequest } from 'fastify'
import { pageLanguage } from '../../http/accept.ts'
import { Problem } from '../../http/problem.ts'
import type { Origin } from '../../http/origin.ts'
import { route, type Route } from '../../http/route.ts'
import { forbidCaching } from '../../links/api/owner-routes.ts'
import { addresses, type Link } from '../../links/link.ts'
import type { Links } from '../../links/open.ts'
import type { StatsSources } from '../../scans/api/routes.ts'
import type { Shares } from '../../shares/open.ts'
import { fileNames, sendFile } from './files.ts'
import { pageQueryOf, readForPage, sourceOfLink } from './load.ts'

/** What the files need from the rest of the program. */
export interface StatisticsFilesNeeds extends StatsSources {
  links: Pick<Links, 'readByToken'>
  shares: Pick<Shares, 'findByToken'>
  origin: Origin
}

interface FileRoute {
  Params: { token: string; code?: string; file: string }
  Querystring: Record<string, unknown>
}

/** A link of which a page shows the statistics. */
interface Shown {
  id: number
  code: string
  /** Whether the reader may see what comes close to single scans. */
  hasDetails: boolean
  placements: Link['placements']
}

/** What the pages of owners and of shares show, as files: `/m/<token>/statistics/<file>`, `/c/<token of a collection>/<code>/statistics/<file>`, `/s/<share-token>/statistics/<file>` */
export function statisticsFileRoutes(needs: StatisticsFilesNeeds): Record<'owned' | 'shared', Route> {
  const { links, shares } = needs
  return {
    owned: fileRoute(needs, async (token, code) => {
      const { link } = await links.readByToken(code === undefined ? token : { collectionToken: token, code })
      return { ...link, hasDetails: true }
    }),
    shared: fileRoute(needs, async (token) => {
      const { id, code, csv } = await shares.findByToken(token)
      return { id, code, placements: [], hasDetails: csv }
    }),
  }
}

function fileRoute(
  { origin, ...reading }: StatisticsFilesNeeds,
  find: (token: string, code?: string) => Promise<Shown>,
): Route {
  return route<FileRoute>({
    schema: { hide: true },
    onSend: forbidCaching,
    config: { work: 'statistics' },
    async handler(request: FastifyRequest<FileRoute>, reply) {
      const { token, code: named, file } = request.params
      if (!fileNames.has(file)) throw new Problem('not_found', 'the statistics have no such file')
      const { id, code, placements, hasDetails } = await find(token, named)
      const asked = pageQueryOf({ ...request.query, view: 'detail' }, reading.now(), hasDetails)
      return sendFile(reply.header('vary', 'accept-language'), file, {
        ...(await readForPage(sourceOfLink(reading, request, id), asked)),
        language: pageLanguage(request),
        prefix: code,
        name: addresses(code, origin.of(request)).short_url,
        placement: (placement) => placements.find((each) => each.id === placement)?.name,
      })
    },
  })
}
