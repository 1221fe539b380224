import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendPage } from '../http/document.ts'
import { Problem } from '../http/problem.ts'
import { keepPrivate } from '../links/access.ts'
import type { CreationLimits, LinkDeps } from '../links/create.ts'
import { findKind, kinds } from '../links/kinds/index.ts'
import { entityTag, type Link } from '../links/link.ts'
import { changeLink, linkOfToken, removeLink } from '../links/manage.ts'
import { removeDesign, saveDesign } from './designer/action.ts'
import { servePreview, type PreviewAssets } from './built-assets.ts'
import { createOnce, MAX_FORM_KEY } from './create-once.ts'
import { filledFields, filledUtm, formOf } from './form-body.ts'
import { creationFields, homePage } from './home.ts'
import { FORM_LIMIT, readForms } from './read-form.ts'
import { reportPageRoutes, type ReportPageDeps } from './report-routes.ts'
import { fitToShow } from './shown-again.ts'
import { deletedPage, editFields, managePage, type Notice, type Shown } from './manage-page.ts'

type Deps = LinkDeps &
  ReportPageDeps & {
    limits: CreationLimits
    geo: { isCreditDue: () => boolean }
    /** What the image of a link says. */
    codeText: (code: string, origin: string) => string
  }
/** `preview` is absent where it was not built. */
type PageDeps = Deps & { preview: PreviewAssets | undefined }
type TokenRequest = FastifyRequest<{ Params: { token: string }; Querystring: Record<string, string> }>

const hidden = { schema: { hide: true } }

/** The pages of the service. */
export function webRoutes(app: FastifyInstance, needed: Deps): void {
  const deps: PageDeps = { ...needed, preview: servePreview(app) }
  readForms(app)
  app.get('/', hidden, async (request: FastifyRequest<{ Querystring: { kind?: string } }>, reply) => {
    // The form has a key of its own: "back" must find the same one, and nobody else may.
    reply.header('cache-control', 'private, no-cache')
    return sendPage(reply, homePage(findKind(request.query.kind) ?? kinds[0], deps.origin.of(request)))
  })
  const config = { work: 'creations' } as const
  const creation = { ...hidden, config, ...deps.limits.creation('links'), bodyLimit: FORM_LIMIT }
  app.post('/', creation, (request, reply) => createFromForm(deps, request, reply))

  const options = { ...hidden, onSend: keepPrivate }
  app.get('/m/:token', { ...options, config: { work: 'statistics' } }, (request: TokenRequest, reply) =>
    showLink(deps, request, reply),
  )
  app.post(
    '/m/:token',
    {
      ...options,
      bodyLimit: FORM_LIMIT,
      config: { takesFile: true, ...config },
      // Whoever guesses tokens is told before the form is read.
      onRequest: async (request: TokenRequest) => void (await linkOfToken(deps, request.params.token)),
    },
    (request: TokenRequest, reply) => actOnLink(deps, request, reply),
  )

  reportPageRoutes(app, deps)

  for (const [name, type] of Object.entries({ 'quirl.css': 'text/css; charset=utf-8', 'quirl.svg': 'image/svg+xml' })) {
    const content = readFileSync(new URL(`assets/${name}`, import.meta.url))
    app.get(`/assets/${name}`, { ...hidden, config: { onDomains: true } }, async (_request, reply) =>
      reply
        .headers({ 'content-type': type, 'cache-control': 'public, max-age=3600', 'x-content-type-options': 'nosniff' })
        .send(content),
    )
  }
}

async function createFromForm(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const form = formOf(request.body)
  const kind = findKind(form.get('kind')) ?? kinds[0]
  const values = filledFields(form, creationFields(kind))
  const utm = filledUtm(form)
  const typedKey = form.get('idempotency_key') ?? ''
  const formKey = typedKey.length <= MAX_FORM_KEY ? typedKey : ''
  try {
    const asked = { origin: deps.origin.of(request), admit: () => deps.limits.charge(request, reply, 'links') }
    const token = await createOnce(deps, { kind: kind.name, ...values, utm }, asked, formKey)
    return await reply.header('cache-control', 'no-store').redirect(`/m/${token}?created`, 303)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    reply.code(error.status).headers(error.headers)
    const typed = fitToShow({ values, utm, problem: error })
    return sendPage(reply, homePage(kind, deps.origin.of(request), { ...typed, idempotencyKey: formKey }))
  }
}

async function showLink(deps: PageDeps, request: TokenRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { token } = request.params
  const link = await linkOfToken(deps, token)
  const origin = deps.origin.of(request)
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
  return sendPage(
    reply,
    managePage(await shownOf(deps, link, token, origin), done === undefined ? undefined : notices[done]),
  )
}

async function shownOf(deps: PageDeps, link: Link, token: string, origin: string): Promise<Shown> {
  const [totals, design] = await Promise.all([deps.totals(link.id), deps.designs.of(link.id)])
  const preview = deps.preview && { ...deps.preview, text: deps.codeText(link.code, origin) }
  const credit = deps.geo.isCreditDue()
  return { link, token, origin, totals, credit, design, preview: link.removed === null ? preview : undefined }
}

async function actOnLink(deps: PageDeps, request: TokenRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { token } = request.params
  const form = formOf(request.body)
  const show = async (link: Link, notice: Notice) => {
    const shown = await shownOf(deps, link, token, deps.origin.of(request))
    return sendPage(reply.code(notice.problem?.status ?? 200), managePage(shown, notice))
  }
  // A page of its own after each change, so that a reload repeats nothing.
  const done = (what: string) => reply.redirect(`/m/${token}?${what}`, 303)
  switch (form.get('action')) {
    case 'change': {
      const refused = await changeFromForm(deps, token, form)
      return refused === undefined ? done('saved') : show(refused.link, refused.notice)
    }
    case 'design': {
      const refused = await saveDesign(deps, token, form, {
        origin: deps.origin.of(request),
        client: deps.limits.clientOf(request),
        admit: () => deps.limits.charge(request, reply, 'qr'),
      })
      if (refused === undefined) return done('designed')
      reply.headers(refused.problem.headers)
      return show(refused.link, refused)
    }
    case 'plain':
      await removeDesign(deps, token)
      return done('designed')
    case 'pause':
      await changeLink(deps, token, { active: false }, undefined)
      return done('paused')
    case 'resume':
      await changeLink(deps, token, { active: true }, undefined)
      return done('resumed')
    case 'delete': {
      if (form.get('sure') === 'yes')
        return sendPage(reply, deletedPage((await removeLink(deps, token, undefined)).code))
      const problem = new Problem('invalid_request', 'the box is not ticked')
      return show(await linkOfToken(deps, token), { text: 'Not deleted: please tick the box first.', problem })
    }
    default:
      throw new Problem('invalid_request', 'the form has an unknown action')
  }
}

/** Saves what was typed. What cannot be saved comes back, to be shown again beside what is wrong. */
async function changeFromForm(
  deps: Deps,
  token: string,
  form: URLSearchParams,
): Promise<{ link: Link; notice: Notice } | undefined> {
  const before = await linkOfToken(deps, token)
  const fields = editFields(before)
  const values = filledFields(form, fields)
  const utm = filledUtm(form, before.utm)
  const cleared = Object.fromEntries(fields.map(({ name }) => [name, null]))
  // Two windows on one link: the one that is saved last must not undo the other unseen.
  const seen = entityTag({ ...before, revision: Number(form.get('revision')) })
  try {
    await changeLink(deps, token, { ...cleared, ...values, utm }, seen)
    return undefined
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'unknown_token') throw error
    const isOvertaken = error.code === 'precondition_failed'
    const text = isOvertaken
      ? 'This link was saved elsewhere since you opened this page. What you typed is below: save again to put it in place of the other change.'
      : ''
    return { link: await linkOfToken(deps, token), notice: { text, ...fitToShow({ values, utm, problem: error }) } }
  }
}
