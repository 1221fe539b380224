import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageLanguage } from '../http/accept.ts'
import { sendPage, type Page } from '../http/document.ts'
import type { Origin } from '../http/origin.ts'
import { route, type Route } from '../http/route.ts'
import { forbidCaching } from '../links/api/owner-routes.ts'
import type { Limits } from '../limits/open.ts'
import type { Shares, SharedLink } from '../shares/open.ts'
import { scriptsOf, type Assets } from './assets.ts'
import { html, type Html } from '../http/html.ts'
import { addresses } from '../links/link.ts'
import type { Language } from '../texts/language.ts'
import { statisticsTexts } from '../texts/statistics.ts'
import { sharedLinksPage } from './shared-links-page.ts'
import { readForPage } from './statistics/load.ts'
import { askedOfShare, sourceOfShare, type SharedReading } from './statistics/shared.ts'
import { statisticsSection } from './statistics/section.ts'
import type { LoadedStatistics } from './statistics/view.ts'

/** What the page of a share needs from the rest of the program. */
export type SharePageNeeds = SharedReading & {
  shares: Pick<Shares, 'findByToken'>
  turnToRender: Limits['turnToRender']
  origin: Origin
  /** Whether the licence of the city database requires a link on pages. */
  isCreditDue: () => boolean
  assets: Pick<Assets, 'islands'>
}

interface ShareRoute {
  Params: { token: string }
  Querystring: Record<string, unknown>
}

/** The page that shows the statistics of a link, or of several, to whoever has a share: `/s/<share-token>` */
export function sharePageRoute(needs: SharePageNeeds): Route {
  return route<ShareRoute>({
    schema: { hide: true },
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
  const shared = await shares.findByToken(token)
  const asked = askedOfShare(request.query, reading.now(), shared)
  const statistics = await readForPage(sourceOfShare(reading, request, shared), asked)
  const view = {
    token,
    statistics,
    origin: origin.of(request),
    language: pageLanguage(request),
    scripts: scriptsOf(assets.islands, 'statistics'),
    credit: isCreditDue(),
  }
  await reading.turnToRender(request)
  return sendPage(
    reply.header('vary', 'accept-language'),
    'collection' in shared ? sharedLinksPage({ ...view, shared }) : sharePage({ ...view, link: shared }),
  )
}

/** The data of a share's page. */
interface ShareView {
  link: SharedLink
  token: string
  statistics: LoadedStatistics
  origin: string
  language: Language
  /** The paths of its scripts. */
  scripts: string[]
  /** Whether the cities come from DB-IP, whose licence requires a link. */
  credit: boolean
}

/** The page that shows the statistics of a link, and nothing that changes it. */
function sharePage(view: ShareView): Page {
  const { link, token, statistics, origin, language, scripts, credit } = view
  const name = link.title?.trim() || link.code
  const { short_url: shortUrl } = addresses(link.code, origin)
  return {
    title: statisticsTexts[language].shared.title(name),
    site: { language, isForGuests: true },
    styles: ['stats'],
    scripts,
    body: html`<main>
      <h1 lang="" dir="auto">${name}</h1>
      ${address(view, shortUrl)}
      ${statisticsSection({
        ...statistics,
        language,
        path: `/s/${token}`,
        name: shortUrl,
        link: {
          code: link.code,
          print: `/${link.code}/print.pdf`,
          image: link.state === 'removed' ? undefined : `/${link.code}/qr.svg`,
        },
        ...(link.csv && { csv: `/api/share/${token}/scans.csv` }),
        credit,
      })}
    </main>`,
  }
}

function address({ link: { state, destinations = [] }, language }: ShareView, url: string): Html {
  const { shared } = statisticsTexts[language]
  return html`<p class="result">${state === 'active' ? html`<a href="${url}">${url}</a>` : url}</p>
    ${state !== 'active' && html`<p class="note warning">${shared[state]}</p>`}
    ${destinations.map((destination) => html`<p class="quiet">${shared.leadsTo} <code>${destination}</code></p>`)}`
}
