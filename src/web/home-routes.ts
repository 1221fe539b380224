import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendPage } from '../http/document.ts'
import type { Origin } from '../http/origin.ts'
import { Problem } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import type { CreationLimits } from '../links/create.ts'
import { findKind, kinds } from '../links/kinds/index.ts'
import type { Links } from '../links/open.ts'
import { createOnce, MAX_FORM_KEY } from './create-once.ts'
import { filledFields, filledUtm, formOf } from './form-body.ts'
import { creationFields, homePage } from './home.ts'
import { FORM_LIMIT } from './read-form.ts'
import { truncateInput } from './typed-input.ts'

/** What the page needs from the rest of the program. */
export interface HomeNeeds {
  links: Pick<Links, 'create' | 'requireToken'>
  origin: Pick<Origin, 'of'>
  limits: Pick<CreationLimits, 'charge' | 'creation'>
}

const hidden = { schema: { hide: true } }

/** The page that creates a link, and its form: `/` */
export function homeRoutes(needs: HomeNeeds): Record<'show' | 'create', Route> {
  return {
    show: route<{ Querystring: { kind?: string } }>({
      ...hidden,
      async handler(request, reply) {
        // The form carries an idempotency key: "back" must restore it, and no shared cache may serve it to others.
        reply.header('cache-control', 'private, no-cache')
        return sendPage(reply, homePage(findKind(request.query.kind) ?? kinds[0], needs.origin.of(request)))
      },
    }),
    create: route({
      ...hidden,
      config: { work: 'creations' },
      ...needs.limits.creation('links'),
      bodyLimit: FORM_LIMIT,
      handler: (request, reply) => createFromForm(needs, request, reply),
    }),
  }
}

async function createFromForm(needs: HomeNeeds, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const form = formOf(request.body)
  const kind = findKind(form.get('kind')) ?? kinds[0]
  const values = filledFields(form, creationFields(kind))
  const utm = filledUtm(form)
  const typedKey = form.get('idempotency_key') ?? ''
  const formKey = typedKey.length <= MAX_FORM_KEY ? typedKey : ''
  try {
    const options = { origin: needs.origin.of(request), charge: () => needs.limits.charge(request, reply, 'links') }
    const token = await createOnce(needs.links, { kind: kind.name, ...values, utm }, options, formKey)
    return await reply.header('cache-control', 'no-store').redirect(`/m/${token}?created`, 303)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    reply.code(error.status).headers(error.headers)
    const typed = truncateInput({ values, utm, problem: error })
    return sendPage(reply, homePage(kind, needs.origin.of(request), { ...typed, idempotencyKey: formKey }))
  }
}
