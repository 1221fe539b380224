import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageLanguage } from '../../../http/accept.ts'
import { addVary } from '../../../http/compress.ts'
import { sendPage } from '../../../http/document.ts'
import type { Origin } from '../../../http/origin.ts'
import { route, type Route } from '../../../http/route.ts'
import { forbidCaching } from '../../../links/api/owner-routes.ts'
import type { OwnedLink } from '../../../links/design.ts'
import type { Totals } from '../../../links/link.ts'
import type { Links } from '../../../links/open.ts'
import type { Limits } from '../../../limits/open.ts'
import type { PrintedSize } from '../../../qr/printed-size.ts'
import { requesterOf } from '../../../qr/requester.ts'
import { sizeOfCode } from '../../../qr/size-of-code.ts'
import type { Qr } from '../../../qr/open.ts'
import { scriptsOf, type Assets } from '../../assets.ts'
import { loadTotals, unlessFailed } from '../../statistics/load.ts'
import { accessByToken, accessInCollection } from '../access.ts'
import { readArrivals, type Arrival, type ArrivalSources } from './arrivals.ts'
import { tryPage } from './page.ts'
import { askedIn, type Asked } from './query.ts'
import type { TryView } from './view.ts'

/** What the page needs from the rest of the program. */
export interface TryPageNeeds extends ArrivalSources, Pick<Qr, 'images' | 'codeText'> {
  links: Pick<Links, 'readByToken'>
  limits: Pick<Limits, 'charge' | 'holderOf' | 'turnToRender'>
  totals: (linkId: number) => Promise<Totals>
  origin: Origin
  assets: Pick<Assets, 'islands'>
  now: () => number
}

interface TryRoute {
  Params: { token: string; code?: string }
  Querystring: Record<string, unknown>
}

/** The check of the code waits in the queue of drawings as long as this; then the page is sent without what it tells. */
const CHECK_MS = 3_000

/** The page on which an owner scans a code from the screen: `/m/<token>/try`, `/c/<token of a collection>/<code>/try` */
export function tryPageRoute(needs: TryPageNeeds): Route {
  return route<TryRoute>({
    schema: { hide: true },
    onSend: forbidCaching,
    config: { work: 'pages' },
    async handler(request, reply) {
      const view = await viewOf(needs, request, reply)
      addVary(reply, 'accept-language')
      await needs.limits.turnToRender(request)
      return sendPage(reply, tryPage(view))
    },
  })
}

async function viewOf(needs: TryPageNeeds, request: FastifyRequest<TryRoute>, reply: FastifyReply): Promise<TryView> {
  const { token, code } = request.params
  const access = code === undefined ? accessByToken(token) : accessInCollection(token, code)
  const owned = await needs.links.readByToken(access.credential)
  const { link } = owned
  const origin = needs.origin.of(request)
  const asked = askedIn(request.query, link, needs.now())
  const text = needs.codeText(link.code, origin, { ...(asked.placement && { placement: asked.placement.id }) })
  const isMarked = text.includes('?')
  // Before the scans are read, so that the script asks again for one that comes in between.
  const totals = await loadTotals(needs.totals, request, link.id)
  const counted = isMarked ? 'qr' : 'scans'
  const [arrivals, size] = await Promise.all([
    loadArrivals(needs, request, link.id, { ...asked, isMarked }),
    asked.onlyScans || link.suspension !== null ? undefined : loadSize(needs, request, reply, { text, owned }),
  ])
  return {
    link,
    access,
    origin,
    language: pageLanguage(request),
    scripts: scriptsOf(needs.assets.islands, 'try'),
    ...asked,
    arrivals,
    size,
    counted,
    count: totals?.[counted],
  }
}

/** A code without a mark cannot tell its scans from other visits. */
function loadArrivals(
  needs: TryPageNeeds,
  request: FastifyRequest,
  linkId: number,
  { since, placement, isMarked }: Asked & { isMarked: boolean },
): Promise<Arrival[] | undefined> {
  const id = placement?.id ?? null
  const fits = (scan: Arrival) => !isMarked || (scan.source === 'qr' && scan.placement === id)
  return unlessFailed(
    request,
    readArrivals(needs, request, linkId, { since, fits }),
    'a page is shown without the scans of a trial',
  )
}

/** The check draws the code, which is charged as one image; the page is shown without its result, too. */
function loadSize(
  { limits, images }: TryPageNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  { text, owned }: { text: string; owned: OwnedLink },
): Promise<PrintedSize | undefined> {
  const check = async () => {
    await limits.charge(request, reply, 'qr')
    const requester = requesterOf(limits.holderOf, request, reply)
    const signal = AbortSignal.any([AbortSignal.timeout(CHECK_MS), ...(requester.signal ? [requester.signal] : [])])
    return sizeOfCode(images, { text, design: owned.design }, { ...requester, signal })
  }
  return unlessFailed(request, check(), 'a page is shown without the size of its code')
}
