import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendPage } from '../http/document.ts'
import type { Origin } from '../http/origin.ts'
import { route, type Route } from '../http/route.ts'
import { forbidCaching } from '../links/access.ts'
import { readLatestStats, type StatsParameters, type StatsReading } from '../scans/routes.ts'
import { statsQuery } from '../scans/schemas.ts'
import type { Shares } from '../shares/open.ts'
import { sharePage } from './share-page.ts'

/** What the page of a share needs from the rest of the program. */
export interface SharePageNeeds extends StatsReading {
  shares: Pick<Shares, 'findByToken'>
  origin: Pick<Origin, 'of'>
  /** Whether the licence of the city database requires a link on pages. */
  isCreditDue: () => boolean
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
    config: { work: 'statistics' },
    handler: (request, reply) => showShare(needs, request, reply),
  })
}

async function showShare(
  { shares, origin, isCreditDue, ...reading }: SharePageNeeds,
  request: FastifyRequest<ShareRoute>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { token } = request.params
  const link = await shares.findByToken(token)
  const stats = await readLatestStats(reading, request, link.id, request.query)
  return sendPage(reply, sharePage({ link, token, stats, origin: origin.of(request), credit: isCreditDue() }))
}
