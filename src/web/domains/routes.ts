import type { FastifyReply, FastifyRequest } from 'fastify'
import { CLAIM_MS } from '../../domains/claim.ts'
import { expiresAt, type Domain } from '../../domains/domain.ts'
import type { Domains } from '../../domains/open.ts'
import type { Registered } from '../../domains/registry.ts'
import { registerCharged } from '../../domains/routes.ts'
import { viewRegistered } from '../../domains/view.ts'
import { pageLanguage } from '../../http/accept.ts'
import { addVary } from '../../http/compress.ts'
import { sendPage } from '../../http/document.ts'
import type { Origin } from '../../http/origin.ts'
import { Problem } from '../../http/problem.ts'
import { route, type Route } from '../../http/route.ts'
import { forbidCaching } from '../../links/api/owner-routes.ts'
import type { FairUse } from '../../limits/limits.ts'
import type { CreationGate } from '../../keys/open.ts'
import { domainsTexts } from '../../texts/domains.ts'
import { problemTexts } from '../../texts/problems.ts'
import type { Language } from '../../texts/language.ts'
import { scriptsOf, type Assets } from '../assets.ts'
import { fillText } from '../../lib/fill-text.ts'
import { keyIn } from '../creation.ts'
import { refusalText } from '../faults.ts'
import { formOf } from '../form-body.ts'
import { createFormIdempotency, FORM_KEY, type FormIdempotency } from '../form-idempotency.ts'
import { domainPage, domainsPage, removedPage, type DomainView } from './page.ts'
import type { CertificateState } from './status.ts'

/** What the pages need from the rest of the program. */
export interface DomainPageNeeds {
  domains: Domains
  limits: FairUse
  creation: Pick<CreationGate, 'mode' | 'require'>
  origin: Origin
  now: () => number
  /** The state of a name's certificate; undefined when the service obtains none itself. */
  certificateOf: ((name: string) => Promise<CertificateState>) | undefined
  assets: Pick<Assets, 'islands'>
}

/** A name of 1,000 characters, each percent-encoded from four bytes, and a key. */
const DOMAIN_FORM_LIMIT = 16 * 1024

const hidden = { schema: { hide: true } }
/** DNS queries may take seconds. */
const config = { work: 'domains' } as const

type PageRequest = FastifyRequest<{ Querystring: { name?: unknown } }>

/** The pages on which names are registered, checked and removed: `/domains` */
export function domainPageRoutes(needs: DomainPageNeeds): Record<'show' | 'act', Route> {
  const idempotency = createFormIdempotency<Registered>(() => true)
  return {
    show: route<{ Querystring: { name?: unknown } }>({
      ...hidden,
      config,
      onSend: forbidCaching,
      handler: (request, reply) => showDomain(needs, request, reply),
    }),
    act: route({
      ...hidden,
      config,
      onSend: forbidCaching,
      bodyLimit: DOMAIN_FORM_LIMIT,
      handler: (request, reply) => takeForm(needs, idempotency, request, reply),
    }),
  }
}

async function showDomain(needs: DomainPageNeeds, request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { name } = request.query
  addVary(reply, 'accept-language')
  if (typeof name !== 'string' || name.trim() === '') return sendForm(needs, request, reply)
  try {
    const domain = await needs.domains.read(name.trim(), needs.limits.holderOf(request))
    return sendPage(reply, domainPage(await viewOf(needs, request, { domain })))
  } catch (error) {
    return sendForm(needs, request, reply, {
      typed: name.slice(0, 1000),
      error: await chargeUnknown(error, needs, request, reply),
    })
  }
}

async function takeForm(
  needs: DomainPageNeeds,
  idempotency: FormIdempotency<Registered>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = formOf(request.body)
  const typed = nameOf(form.get('name') ?? '')
  const action = form.get('action')
  addVary(reply, 'accept-language')
  try {
    if (action === 'remove') return await removeDomain(needs, request, reply, { name: typed, token: form.get('token') })
    const registered = await idempotency.run(form.get(FORM_KEY) ?? '', form, async () => {
      await needs.creation.require(request, reply, keyIn(form))
      const charge = () => needs.limits.charge(request, reply, 'domains')
      const holder = needs.limits.holderOf(request)
      return registerCharged(charge, () =>
        action === 'claim' ? needs.domains.claim(typed, holder) : needs.domains.register(typed, holder),
      )
    })
    const view = await viewOf(needs, request, registered)
    return sendPage(reply.code(registered.token === undefined ? 200 : 201), domainPage(view))
  } catch (error) {
    return sendForm(needs, request, reply, {
      typed: typed.slice(0, 1000),
      error: await chargeUnknown(error, needs, request, reply),
    })
  }
}

/** Charges who guesses names or keys. @returns what is to be said then */
async function chargeUnknown(
  error: unknown,
  { limits }: Pick<DomainPageNeeds, 'limits'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  if (!(error instanceof Problem) || error.code !== 'unknown_domain') return error
  return (await limits.chargeNotFound(request, reply)) ?? error
}

/** What a person may have pasted: an address instead of a host name. */
function nameOf(text: string): string {
  return text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '')
}

async function removeDomain(
  needs: DomainPageNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, token }: { name: string; token: string | null },
): Promise<FastifyReply> {
  const language = pageLanguage(request)
  const domain = await needs.domains.read(name, needs.limits.holderOf(request))
  try {
    const removed = await needs.domains.remove(name, token?.trim() ?? '')
    return await sendPage(reply, removedPage(removed.name, language))
  } catch (thrown) {
    const error = await chargeUnknown(thrown, needs, request, reply)
    if (!(error instanceof Problem) || error.code !== 'unknown_domain') throw error
    const view = await viewOf(needs, request, { domain })
    return sendPage(reply.code(error.status), domainPage({ ...view, fault: domainsTexts[language].wrongKey }))
  }
}

async function viewOf(
  needs: DomainPageNeeds,
  request: FastifyRequest,
  registered: { domain: Domain; token?: string } & Parameters<typeof viewRegistered>[1],
): Promise<DomainView> {
  const { domain, claim } = registered
  const { records, alternatives } = await viewRegistered(needs.domains, registered)
  const scripts = scriptsOf(needs.assets.islands, 'domains')
  return {
    language: pageLanguage(request),
    creation: needs.creation.mode,
    domain,
    certificate: await needs.certificateOf?.(domain.name),
    isHttps: needs.origin.of(request).startsWith('https:'),
    expiresAt: expiresAt(domain),
    now: needs.now(),
    isLive: scripts.length > 0,
    scripts,
    records,
    alternatives,
    registered: { ...registered, ...(claim && { claimExpiresAt: claim.createdAt + CLAIM_MS }) },
  }
}

function sendForm(
  { origin, domains, creation, assets }: DomainPageNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  refused?: { typed: string; error: unknown },
): FastifyReply {
  const language = pageLanguage(request)
  const own = domains.host ?? new URL(origin.of(request)).host
  const scripts = creation.mode === 'token' ? scriptsOf(assets.islands, 'domains') : []
  const form = { language, creation: creation.mode, own, hasName: domains.host !== undefined, scripts }
  if (refused === undefined) return sendPage(reply, { ...domainsPage(form), publicAt: origin.of(request) })
  const { typed, error } = refused
  if (!(error instanceof Problem)) throw error
  reply.code(error.status).headers(error.headers)
  const action = error.code === 'too_many_domains' ? 'claim' : 'register'
  return sendPage(reply, domainsPage({ ...form, typed, action, fault: problemText(error, language) }))
}

function problemText(problem: Problem, language: Language): string {
  const { code, headers } = problem
  const texts = domainsTexts[language]
  switch (code) {
    case 'invalid_request':
      return texts.invalidName
    case 'unknown_domain':
      return texts.unknown
    case 'too_many_domains':
      return texts.tooMany
    case 'too_many_waiting':
      return texts.tooManyWaiting
    case 'key_required':
    case 'creation_closed':
      return problemTexts[language].titles[code]
    case 'rate_limited': {
      const minutes = Math.ceil(Number(headers['retry-after'] ?? 60) / 60)
      return minutes > 1 ? fillText(texts.limited, { minutes }) : texts.limitedOne
    }
    default:
      return fillText(texts.failed, { detail: refusalText(problem, language) })
  }
}
