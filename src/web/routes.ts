import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendPage } from '../http/document.ts'
import { Problem } from '../http/problem.ts'
import type { Origin } from '../http/origin.ts'
import { createLink, type LinkDeps } from '../links/create.ts'
import { findKind, kinds } from '../links/kinds/index.ts'
import { entityTag, type Link } from '../links/link.ts'
import { changeLink, linkOfToken, removeLink } from '../links/manage.ts'
import { keepPrivate } from '../links/routes.ts'
import { filledFields, filledUtm, formOf, readForms } from './form-body.ts'
import { creationFields, homePage } from './home.ts'
import { deletedPage, editFields, managePage, type Notice } from './manage-page.ts'

type Deps = LinkDeps & { origin: Origin }
type TokenRequest = FastifyRequest<{ Params: { token: string }; Querystring: { created?: string } }>

const hidden = { schema: { hide: true } }

/** The pages of the service. */
export function webRoutes(app: FastifyInstance, deps: Deps): void {
  readForms(app)
  app.get('/', hidden, async (request: FastifyRequest<{ Querystring: { kind?: string } }>, reply) =>
    sendPage(reply, homePage(findKind(request.query.kind) ?? kinds[0])),
  )
  app.post('/', hidden, (request, reply) => createFromForm(deps, request, reply))

  const options = { ...hidden, onSend: keepPrivate }
  app.get('/m/:token', options, (request: TokenRequest, reply) => showLink(deps, request, reply))
  app.post('/m/:token', options, (request: TokenRequest, reply) => actOnLink(deps, request, reply))

  for (const [name, type] of Object.entries({ 'quirl.css': 'text/css; charset=utf-8', 'quirl.svg': 'image/svg+xml' })) {
    const content = readFileSync(new URL(`assets/${name}`, import.meta.url))
    app.get(`/assets/${name}`, hidden, async (_request, reply) =>
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
  const body = { kind: kind.name, ...values, utm }
  const idempotencyKey = form.get('idempotency_key') ?? ''
  try {
    // A second click on the button, or a reload of the answer, must not make a second link.
    const repeatable = /^[\w-]{16,255}$/.test(idempotencyKey)
      ? { key: idempotencyKey, request: JSON.stringify(['/', body]) }
      : undefined
    const created = await createLink(deps, body, deps.origin.of(request), repeatable)
    return await reply.header('cache-control', 'no-store').redirect(`/m/${created.token}?created`, 303)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return sendPage(reply.code(error.status), homePage(kind, { values, utm, problem: error, idempotencyKey }))
  }
}

async function showLink(deps: Deps, request: TokenRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { token } = request.params
  const link = await linkOfToken(deps, token)
  const text =
    'Your link is ready. Keep the address of this page: it is the only key to your link, and it cannot be recovered.'
  const notice = request.query.created === undefined ? undefined : { text }
  return sendPage(reply, managePage(link, token, deps.origin.of(request), notice))
}

async function actOnLink(deps: Deps, request: TokenRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { token } = request.params
  const form = formOf(request.body)
  const show = (link: Link, notice: Notice) =>
    sendPage(reply.code(notice.problem?.status ?? 200), managePage(link, token, deps.origin.of(request), notice))
  switch (form.get('action')) {
    case 'change':
      return changeFromForm(deps, token, form, show)
    case 'pause':
      return show(await changeLink(deps, token, { active: false }, undefined), { text: 'The link is paused.' })
    case 'resume':
      return show(await changeLink(deps, token, { active: true }, undefined), { text: 'The link is active again.' })
    case 'delete': {
      if (form.get('sure') === 'yes')
        return sendPage(reply, deletedPage((await removeLink(deps, token, undefined)).code))
      const problem = new Problem('invalid_request', 'please tick the box to confirm')
      return show(await linkOfToken(deps, token), { text: '', problem })
    }
    default:
      throw new Problem('invalid_request', 'the form has an unknown action')
  }
}

async function changeFromForm(
  deps: Deps,
  token: string,
  form: URLSearchParams,
  show: (link: Link, notice: Notice) => FastifyReply,
): Promise<FastifyReply> {
  const before = await linkOfToken(deps, token)
  const fields = editFields(before)
  const values = filledFields(form, fields)
  const utm = filledUtm(form, before.utm)
  const cleared = Object.fromEntries(fields.map(({ name }) => [name, null]))
  // Two windows on one link: the one that is saved last must not undo the other unseen.
  const seen = entityTag({ ...before, revision: Number(form.get('revision')) })
  try {
    const link = await changeLink(deps, token, { ...cleared, ...values, utm }, seen)
    return show(link, { text: 'Saved.' })
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'unknown_token') throw error
    return show(await linkOfToken(deps, token), { text: '', problem: error, values, utm })
  }
}
