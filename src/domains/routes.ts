import { isIP } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { asObject } from '../http/body.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { createValidator } from '../http/validate.ts'
import { expiresAt, type Domain } from './domain.ts'
import type { Domains } from './domains.ts'
import { registrationBody, registrationSchema, removalSchema, statusSchema } from './schemas.ts'

type NameRequest = FastifyRequest<{ Params: { domain: string } }>

const validate = createValidator(registrationBody)

/** What the routes need of the rest of the program. */
interface DomainDeps {
  domains: Domains
  /** A hook that charges each registration. */
  limitDomains: onRequestAsyncHookHandler
}

/** Registration, status and removal of custom domains, below /api. */
export function domainRoutes(app: FastifyInstance, { domains, limitDomains }: DomainDeps): void {
  app.post('/domains', { onRequest: limitDomains, schema: registrationSchema }, async (request, reply) => {
    const body = asObject(request.body)
    const errors = validate(body)
    if (errors.length > 0) throw invalidRequest(errors)
    const { domain, token } = await domains.register(body['domain'] as string)
    const shown = await view(domains, domain)
    return keepOut(reply.code(token === undefined ? 200 : 201)).send(token === undefined ? shown : { ...shown, token })
  })

  app.get('/domains/:domain', { schema: statusSchema }, async (request: NameRequest, reply) =>
    keepOut(reply).send(await view(domains, await domains.read(request.params.domain))),
  )

  app.delete('/domains/:domain', { schema: removalSchema }, async (request: NameRequest, reply) => {
    const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) {
      throw new Problem('unknown_domain', 'the token of the domain must stand in the header "Authorization: Bearer …"')
    }
    const { name } = await domains.remove(request.params.domain, token)
    return keepOut(reply).send({ deleted: true, domain: name })
  })
}

function keepOut(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store')
}

async function view(domains: Domains, domain: Domain) {
  const { name, status, fault } = domain
  const isApex = name === domain.registrable
  const alternatives = isApex && isIP(bare(domains.host)) === 0 ? await domains.addresses() : []
  return {
    domain: name,
    status,
    records: [recordFor(name, domains.host)],
    alternatives: alternatives.map((address) => recordFor(name, address)),
    fault: fault ?? null,
    checked_at: iso(domain.checkedAt),
    created_at: iso(domain.createdAt),
    expires_at: iso(expiresAt(domain)),
  }
}

function recordFor(name: string, host: string) {
  const value = bare(host)
  return { type: { 0: 'CNAME', 4: 'A', 6: 'AAAA' }[isIP(value)] ?? 'CNAME', name, value }
}

/** An IPv6 host without the brackets that it has in a URL. */
function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}

function iso(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString()
}
