import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendPage } from '../http/document.ts'
import type { Origin } from '../http/origin.ts'
import { Problem } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import { keepPrivate } from '../links/access.ts'
import type { CreationLimits } from '../links/create.ts'
import type { OwnedLink } from '../links/design.ts'
import { entityTag, type Totals } from '../links/link.ts'
import type { Links } from '../links/open.ts'
import type { PreviewAssets } from './assets.ts'
import { saveDesign } from './designer/action.ts'
import { filledFields, filledUtm, formOf } from './form-body.ts'
import { deletedPage, editFields, managePage, type Notice, type Shown } from './manage-page.ts'
import { FORM_LIMIT } from './read-form.ts'
import { fitToShow } from './shown-again.ts'

/** What the page needs of the rest of the program. */
export interface OwnerPageNeeds {
  links: Pick<Links, 'requireToken' | 'readByToken' | 'checkDesign' | 'change' | 'remove'>
  /** What has been counted of a link. */
  totals: (linkId: number) => Promise<Totals>
  origin: Pick<Origin, 'of'>
  limits: Pick<CreationLimits, 'charge' | 'clientOf'>
  /** Whether the licence of the places asks for a link on pages. */
  isCreditDue: () => boolean
  /** What the image of a link says. */
  codeText: (code: string, origin: string) => string
  /** Absent where it was not built. */
  preview: PreviewAssets | undefined
}

interface TokenRoute {
  Params: { token: string }
  Querystring: Record<string, string>
}
type TokenRequest = FastifyRequest<TokenRoute>

const hidden = { schema: { hide: true } }

/** The page of a link for its owner, and what its forms do: `/m/<token>` */
export function ownerPageRoutes(needs: OwnerPageNeeds): Record<'show' | 'act', Route> {
  return {
    show: route<TokenRoute>({
      ...hidden,
      onSend: keepPrivate,
      config: { work: 'statistics' },
      handler: (request, reply) => showLink(needs, request, reply),
    }),
    act: route<TokenRoute>({
      ...hidden,
      onSend: keepPrivate,
      bodyLimit: FORM_LIMIT,
      config: { takesFile: true, work: 'creations' },
      // Whoever guesses tokens is told before the form is read.
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
      text: 'Your link is ready. Keep the address of this page, it is the only key to your link and cannot be recovered:',
      address: `${origin}/m/${token}`,
    },
    saved: { text: 'Saved.' },
    designed: { text: 'The design is saved. The image above is the new one; printed codes still work.' },
    paused: { text: 'The link is paused.' },
    resumed: { text: 'The link is active again.' },
  }
  const done = Object.keys(request.query).find((name) => Object.hasOwn(notices, name))
  const shown = await shownOf(needs, owned, token, origin)
  return sendPage(reply, managePage(shown, done === undefined ? undefined : notices[done]))
}

async function shownOf(needs: OwnerPageNeeds, owned: OwnedLink, token: string, origin: string): Promise<Shown> {
  const { link, design } = owned
  const preview = needs.preview && { ...needs.preview, text: needs.codeText(link.code, origin) }
  return {
    link,
    token,
    origin,
    totals: await needs.totals(link.id),
    credit: needs.isCreditDue(),
    design,
    preview: link.removed === null ? preview : undefined,
  }
}

async function actOnLink(needs: OwnerPageNeeds, request: TokenRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { links, limits } = needs
  const { token } = request.params
  const form = formOf(request.body)
  const origin = needs.origin.of(request)
  const charge = () => limits.charge(request, reply, 'qr')
  const drawing = { origin, client: limits.clientOf(request), charge }
  const show = async (owned: OwnedLink, notice: Notice) => {
    const shown = await shownOf(needs, owned, token, origin)
    return sendPage(reply.code(notice.problem?.status ?? 200), managePage(shown, notice))
  }
  const change = async (body: object) => {
    const owned = await links.readByToken(token)
    await links.change(owned, body, { design: await links.checkDesign(owned, body, drawing) })
  }
  // A page of its own after each change, so that a reload repeats nothing.
  const done = (what: string) => reply.redirect(`/m/${token}?${what}`, 303)
  switch (form.get('action')) {
    case 'change': {
      const refused = await changeFromForm(links, token, form)
      return refused === undefined ? done('saved') : show(refused.owned, refused.notice)
    }
    case 'design': {
      const refused = await saveDesign(links, token, form, drawing)
      if (refused === undefined) return done('designed')
      reply.headers(refused.problem.headers)
      return show(refused.owned, refused)
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
      if (form.get('sure') === 'yes') return sendPage(reply, deletedPage((await links.remove(token, undefined)).code))
      const problem = new Problem('invalid_request', 'the box is not ticked')
      return show(await links.readByToken(token), { text: 'Not deleted: please tick the box first.', problem })
    }
    default:
      throw new Problem('invalid_request', 'the form has an unknown action')
  }
}

/** Saves what was typed. What cannot be saved comes back, to be shown again beside what is wrong. */
async function changeFromForm(
  links: Pick<Links, 'readByToken' | 'change'>,
  token: string,
  form: URLSearchParams,
): Promise<{ owned: OwnedLink; notice: Notice } | undefined> {
  const before = await links.readByToken(token)
  const fields = editFields(before.link)
  const values = filledFields(form, fields)
  const utm = filledUtm(form, before.link.utm)
  const cleared = Object.fromEntries(fields.map(({ name }) => [name, null]))
  // Two windows on one link: the one that is saved last must not undo the other unseen.
  const ifMatch = entityTag({ revision: Number(form.get('revision')) })
  try {
    await links.change(before, { ...cleared, ...values, utm }, { ifMatch })
    return undefined
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'unknown_token') throw error
    const isOvertaken = error.code === 'precondition_failed'
    const text = isOvertaken
      ? 'This link was saved elsewhere since you opened this page. What you typed is below: save again to put it in place of the other change.'
      : ''
    return { owned: await links.readByToken(token), notice: { text, ...fitToShow({ values, utm, problem: error }) } }
  }
}
