import type { Static } from '#typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { asObject } from '../http/body.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { createValidator } from '../http/validate.ts'
import type { Domains } from './domains.ts'
import { registrationBody, registrationSchema, removalSchema, statusSchema } from './schemas.ts'
import { viewDomain, viewRegistered } from './view.ts'

type NameRequest = FastifyRequest<{ Params: { domain: string } }>

const validate = createValidator(registrationBody)

/** The DNS may take seconds. */
const config = { work: 'domains' } as const

/** What the routes need of the rest of the program. */
interface DomainDeps {
  domains: Domains
  /** A hook that charges each registration. */
  limitDomains: onRequestAsyncHookHandler
}

/** Registration, status and removal of custom domains, below /api. */
export function domainRoutes(app: FastifyInstance, { domains, limitDomains }: DomainDeps): void {
  app.post('/domains', { config, onRequest: limitDomains, schema: registrationSchema }, async (request, reply) => {
    const body = asObject(request.body)
    const errors = validate(body)
    if (errors.length > 0) throw invalidRequest(errors)
    const { domain: name, claim } = body as Static<typeof registrationBody>
    const registered = await (claim === true ? domains.claim(name) : domains.register(name))
    reply.code(registered.token === undefined ? 200 : 201)
    return keepOut(reply).send(await viewRegistered(domains, registered))
  })

  app.get('/domains/:domain', { config, schema: statusSchema }, async (request: NameRequest, reply) =>
    keepOut(reply).send(await viewDomain(domains, await domains.read(request.params.domain))),
  )

  app.delete('/domains/:domain', { config, schema: removalSchema }, async (request: NameRequest, reply) => {
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
