import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageLanguage } from '../http/accept.ts'
import { redirectToPage, sendPage } from '../http/document.ts'
import { Problem } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import { clientOf, type WriteNeeds } from '../links/api/write-needs.ts'
import type { IdempotentRequest } from '../links/idempotency/idempotency.ts'
import { findKind, kinds } from '../links/kinds/index.ts'
import type { Kind } from '../links/kinds/kind.ts'
import { scriptsOf, type Assets } from './assets.ts'
import type { CreationGate } from '../keys/open.ts'
import { keyIn } from './creation.ts'
import { filledFields, filledUtm, formOf } from './form-body.ts'
import { creationFields, homePage, type HomeView, type RefusedForm } from './home.ts'
import { fieldsOfInputs } from './kind-inputs.ts'
import { collectionIn } from './home-collection.ts'
import { createPosterCode, PLACEHOLDER_CODE } from './home-poster.ts'
import { periodFields, readPeriod } from './period.ts'
import { FORM_LIMIT } from './read-form.ts'
import { truncateInput } from './typed-input.ts'

/** What the page needs from the rest of the program. */
export interface HomeNeeds extends WriteNeeds {
  creation: Pick<CreationGate, 'mode' | 'require'>
  /** The text that a link's QR code encodes. */
  codeText: (code: string, origin: string) => string
  assets: Pick<Assets, 'islands'>
}

const hidden = { schema: { hide: true } }

/** The page that creates a link, and its form: `/` */
export function homeRoutes(needs: HomeNeeds): Record<'show' | 'create', Route> {
  const viewOf = createViews(needs)
  return {
    show: route<{ Querystring: { kind?: string } }>({
      ...hidden,
      async handler(request, reply) {
        // The form carries an idempotency key: "back" must restore it, and no shared cache may serve it to others.
        reply.header('cache-control', 'private, no-cache')
        reply.header('vary', 'accept-language')
        const page = homePage(viewOf(request, findKind(request.query.kind) ?? kinds[0]))
        return sendPage(reply, { ...page, publicAt: needs.origin.of(request) })
      },
    }),
    create: route({
      ...hidden,
      config: { work: 'creations' },
      ...needs.limits.creation('links'),
      bodyLimit: FORM_LIMIT,
      handler: (request, reply) => createFromForm(needs, viewOf, request, reply),
    }),
  }
}

type ViewOf = (request: FastifyRequest, kind: Kind, refused?: RefusedForm) => HomeView

function createViews({ origin, codeText, assets, creation }: HomeNeeds): ViewOf {
  const drawCode = createPosterCode()
  const isLive = creation.mode !== 'closed' && assets.islands.has('home')
  const scripts = scriptsOf(assets.islands, ...(isLive ? ['home'] : []), 'my-links')
  return (request, kind, refused) => {
    const ownOrigin = origin.of(request)
    return {
      kind,
      language: pageLanguage(request),
      origin: ownOrigin,
      codeText: codeText('{code}', ownOrigin),
      code: drawCode(codeText(PLACEHOLDER_CODE, ownOrigin)),
      isLive,
      scripts,
      everyDeviceScript: assets.islands.get('every-device'),
      creation: creation.mode,
      refused,
    }
  }
}

/** Characters of a form's idempotency key, which is a UUID. */
const MAX_FORM_KEY = 255

/**
 * A second click on the button, or a reload of the response, creates no second link. The form's key is tied to the values of the
 * fields: a client who goes back and changes one wants another link, and so does a client who has deleted the first.
 */
function idempotentForm(formKey: string, request: string): IdempotentRequest | undefined {
  const isKey = /^[\w-]{16,255}$/.test(formKey)
  return isKey ? { key: `${formKey} ${hash('sha256', request)}`, request } : undefined
}

async function createFromForm(
  needs: HomeNeeds,
  viewOf: ViewOf,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = formOf(request.body)
  const kind = findKind(form.get('kind')) ?? kinds[0]
  const values = filledFields(form, creationFields(kind))
  const utm = filledUtm(form)
  const period = filledFields(form, periodFields)
  const collection = collectionIn(form)
  const typedKey = form.get('idempotency_key') ?? ''
  const formKey = typedKey.length <= MAX_FORM_KEY ? typedKey : ''
  try {
    await needs.creation.require(request, reply, keyIn(form))
    let isTrimmed = false
    const onTrimmed = () => void (isTrimmed = true)
    const rules = readPeriod(period, pageLanguage(request))
    const fields = fieldsOfInputs(kind, values, pageLanguage(request))
    const body = { kind: kind.name, ...fields, utm, ...(rules.length > 0 && { rules }) }
    const idempotentRequest = idempotentForm(formKey, JSON.stringify(collection ? { ...body, collection } : body))
    const options = { idempotentRequest, recreates: true, onTrimmed, collection }
    const created = await needs.links.create(body, clientOf(needs, request, reply), options)
    reply.header('cache-control', 'no-store')
    return await redirectToPage(reply, `${pageOf(created, collection)}?created${isTrimmed ? '&trimmed' : ''}`)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    reply.code(error.status).headers({ ...error.headers, vary: 'accept-language' })
    const typed = truncateInput({ values: { ...values, ...period }, utm, problem: error })
    return sendPage(reply, homePage(viewOf(request, kind, { ...typed, idempotencyKey: formKey, collection })))
  }
}

/** The page of a new link; in a collection, the one below that, as its owner keeps the address of the collection. */
function pageOf({ code, token }: { code: string; token: string }, collection: string | undefined): string {
  return collection === undefined ? `/m/${token}` : `/c/${collection}/${code}`
}
