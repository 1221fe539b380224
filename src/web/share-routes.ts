import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageLanguage } from '../http/accept.ts'
import { sendPage } from '../http/document.ts'
import type { Origin } from '../http/origin.ts'
import { route, type Route } from '../http/route.ts'
import { forbidCaching } from '../links/access.ts'
import { queryOf, readLatestStats, type StatsParameters, type StatsReading } from '../scans/api/routes.ts'
import { statsQuery } from '../scans/api/schemas.ts'
import type { Shares } from '../shares/open.ts'
import { scriptsOf, type Assets } from './assets.ts'
import { sharePage } from './share-page.ts'

/** What the page of a share needs from the rest of the program. */
export interface SharePageNeeds extends StatsReading {
  shares: Pick<Shares, 'findByToken'>
  origin: Pick<Origin, 'of'>
  /** Whether the licence of the city database requires a link on pages. */
  isCreditDue: () => boolean
  assets: Pick<Assets, 'islands'>
}

interface ShareRoute {
  Params: { token: string }
  Querystring: StatsParameters
}

/** The page that shows the statistics of a link to whoever has a share: `/s/<share-token>` */
export function sharePageRoute(needs: SharePageNeeds): Route {
  return route<ShareRoute>({
    schema: { hide: true, querystring: statsQuery },
    onSend: forbidCaching,
    config: { work: 'pages' },
    handler: (request, reply) => showShare(needs, request, reply),
  })
}

async function showShare(
  { shares, origin, isCreditDue, assets, ...reading }: SharePageNeeds,
  request: FastifyRequest<ShareRoute>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { token } = request.params
  const link = await shares.findByToken(token)
  // Bots are among the figures all the same.
  const parameters = { audience: 'human', ...request.query, previous: true }
  const { days, timeZone: tz, audience } = queryOf(parameters)
  const now = reading.now()
  const stats = await readLatestStats(reading, request, link.id, parameters)
  const view = {
    link,
    token,
    statistics: { query: { days, tz, audience }, stats, now },
    origin: origin.of(request),
    language: pageLanguage(request),
    scripts: scriptsOf(assets.islands, 'statistics'),
    credit: isCreditDue(),
  }
  return sendPage(reply.header('vary', 'accept-language'), sharePage(view))
}
