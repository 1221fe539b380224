import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendPage } from '../http/document.ts'
import type { Origin } from '../http/origin.ts'
import { Problem } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import { forbidCaching } from '../links/access.ts'
import type { CreationLimits } from '../links/create.ts'
import type { OwnedLink } from '../links/design.ts'
import { entityTag, type Totals } from '../links/link.ts'
import type { Links } from '../links/open.ts'
import type { PreviewAssets } from './assets.ts'
import { saveDesign } from './designer/save.ts'
import { filledFields, filledUtm, formOf } from './form-body.ts'
import { deletedPage, editFields, managePage, type ManageView, type Notice } from './manage-page.ts'
import { FORM_LIMIT } from './read-form.ts'
import { truncateInput } from './typed-input.ts'

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
  /** Undefined where the preview was not built. */
  preview: PreviewAssets | undefined
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
  const origin = needs.origin.of(request)
  const notices: Record<string, Notice> = {
    created: {
      text: 'Your link is ready. Save the address of this page. It is the only key to your link and cannot be recovered:',
      address: `${origin}/m/${token}`,
    },
    saved: { text: 'Saved.' },
    designed: { text: 'The design is saved, and the image below shows it. Printed codes still work.' },
    paused: { text: 'The link is paused.' },
    resumed: { text: 'The link is active again.' },
  }
  const done = Object.keys(request.query).find((name) => Object.hasOwn(notices, name))
  const view = await viewOf(needs, owned, token, origin)
  return sendPage(reply, managePage(view, done === undefined ? undefined : notices[done]))
}

async function viewOf(needs: OwnerPageNeeds, owned: OwnedLink, token: string, origin: string): Promise<ManageView> {
  const { link, design } = owned
  const preview = needs.preview && { ...needs.preview, text: needs.codeText(link.code, origin) }
  return {
    link,
    token,
    origin,
    totals: await needs.totals(link.id),
    credit: needs.isCreditDue(),
    design,
    preview: link.suspension === null ? preview : undefined,
  }
}

async function actOnLink(needs: OwnerPageNeeds, request: TokenRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { links, limits } = needs
  const { token } = request.params
  const form = formOf(request.body)
  const charge = () => limits.charge(request, reply, 'qr')
  const drawing = { origin: needs.origin.of(request), client: limits.clientOf(request), charge }
  const change = async (body: object) => {
    const owned = await links.readByToken(token)
    await links.change(owned, body, { design: await links.checkDesign(owned, body, drawing) })
  }
  // A redirect after each change, so that a reload repeats nothing.
  const done = (notice: string) => reply.redirect(`/m/${token}?${notice}`, 303)
  switch (form.get('action')) {
    case 'change': {
      const refused = await changeFromForm(links, token, form)
      return refused === undefined ? done('saved') : showRefused(needs, request, reply, refused)
    }
    case 'design': {
      const refused = await saveDesign(links, token, form, drawing)
      if (refused === undefined) return done('designed')
      return showRefused(needs, request, reply.headers(refused.problem.headers), refused)
    }
    case 'plain':
      await change({ design: null })
      return done('designed')
    case 'pause':
      await change({ active: false })
      return done('paused')
    case 'resume':
      await change({ active: true })
      return done('resumed')
    case 'delete': {
      if (form.get('sure') === 'yes') return sendPage(reply, deletedPage((await links.delete(token, undefined)).code))
      const problem = new Problem('invalid_request', 'the box is not ticked')
      const text = 'Not deleted. Please tick the box first.'
      return showRefused(needs, request, reply, { owned: await links.readByToken(token), text, problem })
    }
    default:
      throw new Problem('invalid_request', 'the form has an unknown action')
  }
}

/** A change that was refused, with the link as it is. */
type Refused = Notice & { owned: OwnedLink; problem: Problem }

async function showRefused(
  needs: OwnerPageNeeds,
  request: TokenRequest,
  reply: FastifyReply,
  { owned, ...notice }: Refused,
): Promise<FastifyReply> {
  const view = await viewOf(needs, owned, request.params.token, needs.origin.of(request))
  return sendPage(reply.code(notice.problem.status), managePage(view, notice))
}

/**
 * Saves the form of a link.
 * @returns what to show when it was refused: the typed values with their errors
 */
async function changeFromForm(
  links: Pick<Links, 'readByToken' | 'change'>,
  token: string,
  form: URLSearchParams,
): Promise<Refused | undefined> {
  const before = await links.readByToken(token)
  const fields = editFields(before.link)
  const values = filledFields(form, fields)
  const utm = filledUtm(form, before.link.utm)
  const cleared = Object.fromEntries(fields.map(({ name }) => [name, null]))
  // The page may be open in two windows: the second save must not silently undo the first.
  const ifMatch = entityTag({ revision: Number(form.get('revision')) })
  try {
    await links.change(before, { ...cleared, ...values, utm }, { ifMatch })
    return undefined
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'unknown_token') throw error
    const isOvertaken = error.code === 'precondition_failed'
    const text = isOvertaken
      ? 'This link was changed elsewhere since you opened this page. Your changes are below: save again to overwrite the other ones.'
      : ''
    return { owned: await links.readByToken(token), text, ...truncateInput({ values, utm, problem: error }) }
  }
}
