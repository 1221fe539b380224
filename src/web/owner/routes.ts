import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageLanguage } from '../../http/accept.ts'
import { sendPage } from '../../http/document.ts'
import type { Origin } from '../../http/origin.ts'
import { route, type Route } from '../../http/route.ts'
import { forbidCaching } from '../../links/access.ts'
import type { CreationLimits } from '../../links/create.ts'
import type { OwnedLink } from '../../links/design.ts'
import type { Totals } from '../../links/link.ts'
import type { Links } from '../../links/open.ts'
import type { StatsReading } from '../../scans/routes.ts'
import type { Assets } from '../assets.ts'
import { formOf } from '../form-body.ts'
import { FORM_LIMIT } from '../read-form.ts'
import { act } from './actions.ts'
import { loadStatistics } from '../statistics/load.ts'
import { ownerPage } from './page.ts'
import type { Notice, OwnerView, Refused } from './view.ts'

/** What the page needs from the rest of the program. */
export interface OwnerPageNeeds {
  links: Pick<Links, 'requireToken' | 'readByToken' | 'checkDesign' | 'change' | 'delete'>
  /** The counts of a link. */
  totals: (linkId: number) => Promise<Totals>
  origin: Pick<Origin, 'of'>
  limits: Pick<CreationLimits, 'charge' | 'clientOf'>
  /** Whether the licence of the city database requires a link on pages. */
  isCreditDue: () => boolean
  /** The text that a link's QR code encodes. */
  codeText: (code: string, origin: string) => string
  assets: Pick<Assets, 'islands' | 'font'>
  reading: StatsReading
}

interface TokenRoute {
  Params: { token: string }
  Querystring: Record<string, string>
}
type TokenRequest = FastifyRequest<TokenRoute>

const hidden = { schema: { hide: true } }

/** The page on which an owner manages a link, and its forms: `/m/<token>` */
export function ownerPageRoutes(needs: OwnerPageNeeds): Record<'show' | 'act', Route> {
  return {
    show: route<TokenRoute>({
      ...hidden,
      onSend: forbidCaching,
      config: { work: 'statistics' },
      handler: (request, reply) => showLink(needs, request, reply),
    }),
    act: route<TokenRoute>({
      ...hidden,
      onSend: forbidCaching,
      bodyLimit: FORM_LIMIT,
      config: { acceptsFile: true, work: 'creations' },
      // A wrong token is refused before the form is read.
      onRequest: (request) => needs.links.requireToken(request.params.token),
      handler: (request, reply) => actOnLink(needs, request, reply),
    }),
  }
}

async function showLink(needs: OwnerPageNeeds, request: TokenRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { token } = request.params
  const owned = await needs.links.readByToken(token)
  const notices: Record<string, Notice> = {
    created: {
      text: 'Your link is ready. Save the address of this page. It is the only key to your link and cannot be recovered:',
      address: `${needs.origin.of(request)}/m/${token}`,
    },
    saved: { text: 'Saved.' },
    designed: { text: 'The design is saved, and the image below shows it. Printed codes still work.' },
    paused: { text: 'The link is paused.' },
    resumed: { text: 'The link is active again.' },
  }
  const done = Object.keys(request.query).find((name) => Object.hasOwn(notices, name))
  const view = await viewOf(needs, owned, request)
  return sendPage(reply, ownerPage(view, done === undefined ? undefined : notices[done]))
}

async function viewOf(needs: OwnerPageNeeds, owned: OwnedLink, request: TokenRequest): Promise<OwnerView> {
  const { link, design } = owned
  const origin = needs.origin.of(request)
  const script = needs.assets.islands.get('design')
  const scripts = ['statistics'].flatMap((name) => needs.assets.islands.get(name) ?? [])
  const preview = script && { script, font: needs.assets.font, text: needs.codeText(link.code, origin) }
  return {
    link,
    token: request.params.token,
    origin,
    language: pageLanguage(request),
    totals: await needs.totals(link.id),
    statistics: await loadStatistics(needs.reading, request, link.id),
    scripts,
    credit: needs.isCreditDue(),
    design,
    preview: link.suspension === null && preview ? preview : undefined,
  }
}

async function actOnLink(needs: OwnerPageNeeds, request: TokenRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { links, limits } = needs
  const { token } = request.params
  const charge = () => limits.charge(request, reply, 'qr')
  const drawing = { origin: needs.origin.of(request), client: limits.clientOf(request), charge }
  const outcome = await act({ links, token, form: formOf(request.body), drawing })
  // A redirect after each change, so that a reload repeats nothing.
  if ('done' in outcome) return reply.redirect(`/m/${token}?${outcome.done}`, 303)
  return 'page' in outcome ? sendPage(reply, outcome.page) : showRefused(needs, request, reply, outcome.refused)
}

async function showRefused(
  needs: OwnerPageNeeds,
  request: TokenRequest,
  reply: FastifyReply,
  { owned, ...notice }: Refused,
): Promise<FastifyReply> {
  const view = await viewOf(needs, owned, request)
  const { status, headers } = notice.problem
  return sendPage(reply.code(status).headers(headers), ownerPage(view, notice))
}
