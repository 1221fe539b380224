import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageLanguage } from '../../http/accept.ts'
import { addVary } from '../../http/compress.ts'
import { sendPage } from '../../http/document.ts'
import { Problem } from '../../http/problem.ts'
import { route, type Route } from '../../http/route.ts'
import type { Limits } from '../../limits/open.ts'
import { forbidCaching } from '../../links/api/owner-routes.ts'
import type { Links } from '../../links/open.ts'
import { ownValue } from '../../lib/own-value.ts'
import { labelFormats, type Paper } from '../../qr/print/labels.ts'
import { rowsOf, type RowsNeeds } from '../../print/rows.ts'
import { chargesOf, sendCodes, type SheetNeeds } from '../../print/routes.ts'
import { readPrint, type PrintBody } from '../../print/schemas.ts'
import { labelTexts } from '../../texts/labels.ts'
import type { Language } from '../../texts/language.ts'
import { accessByToken, accessInCollection } from '../owner/access.ts'
import { labelRefusal } from './label-refusal.ts'

/** What the form that prints many codes needs of the rest of the program. */
export interface LabelNeeds extends Omit<RowsNeeds, 'links' | 'turn'>, SheetNeeds {
  links: Pick<Links, 'findByToken' | 'findManyByToken'>
  limits: Pick<Limits, 'charge' | 'chargeNotFound' | 'holderOf' | 'turnToRender'>
}

interface LabelRoute {
  Params: { token: string; code?: string }
  Querystring: Record<string, unknown>
}

const shared = { schema: { hide: true }, onSend: forbidCaching, config: { work: 'images' } } as const

/** The codes of a link, or of its places: `GET /m/<token>/labels.pdf`, `GET /c/<token of a collection>/<code>/labels.pdf` */
export function linkLabelsRoute(needs: LabelNeeds): Route {
  return route<LabelRoute>({
    ...shared,
    handler: (request, reply) =>
      orRefusal(request, reply, {
        form: `${accessOf(request.params).page}/placements#label-onto`,
        title: refusedTitle,
        send: () => sendLink(needs, request, reply),
      }),
  })
}

const refusedTitle = (language: Language) => labelTexts[language].refused.title

function accessOf({ token, code }: LabelRoute['Params']) {
  return code === undefined ? accessByToken(token) : accessInCollection(token, code)
}

async function sendLink(
  needs: LabelNeeds,
  request: FastifyRequest<LabelRoute>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const link = await needs.links.findByToken(accessOf(request.params).credential)
  const body = bodyOf(request.query, { links: [link.code] })
  const charges = chargesOf(needs, request, reply)
  const rows = await rowsOf({ ...needs, turn: () => needs.limits.turnToRender(request) }, body, charges, true)
  return sendCodes(needs, { request, reply, charges }, body, rows)
}

/** A page that says what cannot be done, and why, instead of the file. @param form the address of the form */
export async function orRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  { form, title, send }: { form: string; title: (language: Language) => string; send: () => Promise<FastifyReply> },
): Promise<FastifyReply> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof Problem) || error.errors.length === 0) throw error
    addVary(reply, 'accept-language')
    const language = pageLanguage(request)
    return sendPage(reply.code(error.status), labelRefusal(error, { language, title: title(language), back: form }))
  }
}

/** The codes of all links of a collection, or of a campaign: `GET /c/<token>/labels.pdf` */
export function collectionLabelsRoute(needs: LabelNeeds): Route {
  return route<LabelRoute>({
    ...shared,
    handler: (request, reply) =>
      orRefusal(request, reply, {
        form: `/c/${request.params.token}#label-onto`,
        title: refusedTitle,
        send: () => sendCollection(needs, request, reply),
      }),
  })
}

async function sendCollection(
  needs: LabelNeeds,
  request: FastifyRequest<LabelRoute>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const body = bodyOf(request.query, { collection: request.params.token })
  const charges = chargesOf(needs, request, reply)
  const rows = await rowsOf({ ...needs, turn: () => needs.limits.turnToRender(request) }, body, charges)
  return sendCodes(needs, { request, reply, charges }, body, rows)
}

/** The body of `POST /api/print` that the fields of the form say. @throws {Problem} 400 for an invalid one */
function bodyOf(query: Record<string, unknown>, links: Pick<PrintBody, 'links' | 'collection'>): PrintBody {
  const field = (name: string) => {
    const value = query[name]
    return typeof value === 'string' ? value.trim() : ''
  }
  const filled = (name: string) => (field(name) === '' ? {} : { [name]: field(name) })
  const text = field('text') === 'own' ? { text: { own: field('own') } } : filled('text')
  const placements = field('placements') === '1' && { placements: true }
  const part = field('part') === '' ? {} : { part: Number(field('part')) }
  return readPrint({
    ...links,
    ...ontoOf(field),
    ...part,
    ...filled('campaign'),
    ...filled('style'),
    ...text,
    ...placements,
  })
}

/** What the form offers first. */
const DEFAULT_ONTO = 'labels:avery-l7160'

/** Own labels lie on the paper that is chosen above: that of its labels, or the one itself. */
function paperOf(onto: string): Paper {
  return onto === 'letter' ? 'letter' : (ownValue(labelFormats, onto)?.paper ?? 'a4')
}

/** What the codes are printed onto: a format, measures as people write them, or a paper. */
function ontoOf(field: (name: string) => string): object {
  const [kind, onto = ''] = (field('onto') || DEFAULT_ONTO).split(':')
  const free = field('free').toLowerCase().replaceAll(/\s+/g, '').replaceAll('×', 'x').replaceAll(',', '.')
  if (free === '' && kind !== 'labels') return { paper: onto }
  const start = field('start')
  return {
    ...(free === '' ? { labels: onto } : { labels: free, paper: paperOf(onto) }),
    ...(start !== '' && { start: Number(start) }),
    offset: [Number(field('x')), Number(field('y'))],
  }
}
