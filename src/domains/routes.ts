import type { Static } from '#typebox'
import type { FastifyReply, onRequestAsyncHookHandler } from 'fastify'
import { asObject } from '../http/body.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import { createValidator } from '../http/validate.ts'
import { runCharged, type Charge } from '../lib/charged.ts'
import type { FairUse } from '../limits/limits.ts'
import type { Domains } from './open.ts'
import type { Registered } from './registry.ts'
import { registrationBody, registrationSchema, removalSchema, statusSchema } from './schemas.ts'
import { viewRegistered, viewStatus, type CertificateState } from './view.ts'

interface NameRoute {
  Params: { domain: string }
}

const validate = createValidator(registrationBody)

/** DNS queries may take seconds. Unknown names and wrong tokens are charged. */
const config = { work: 'domains', isCharged: true } as const

/** What the routes need of the rest of the program. */
export interface DomainRoutesNeeds {
  domains: Domains
  limits: FairUse
  /** The state of a name's certificate; undefined when the service obtains none itself. */
  certificateOf: ((name: string) => Promise<CertificateState>) | undefined
  /** A hook that refuses whom the operator does not let register. */
  mayCreate: onRequestAsyncHookHandler
}

/** Registration, status and removal of custom domains: `POST /api/domains`, and the others at `/api/domains/<domain>`. */
export function domainRoutes(needs: DomainRoutesNeeds): Record<'register' | 'read' | 'remove', Route> {
  const { domains, limits, certificateOf } = needs
  return {
    register: registrationRoute(needs),
    read: route<NameRoute>({
      config,
      schema: statusSchema,
      async handler(request, reply) {
        const domain = await domains.read(request.params.domain, limits.holderOf(request))
        return uncached(reply).send(await viewStatus(domains, domain, await certificateOf?.(domain.name)))
      },
    }),
    remove: route<NameRoute>({
      config,
      schema: removalSchema,
      async handler(request, reply) {
        const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
        if (token === undefined) {
          const detail = 'the header "Authorization: Bearer …" with the token of the domain is missing'
          throw new Problem('unknown_domain', detail)
        }
        const { name } = await domains.remove(request.params.domain, token)
        return uncached(reply).send({ deleted: true, domain: name })
      },
    }),
  }
}

function registrationRoute({ domains, limits, mayCreate }: DomainRoutesNeeds): Route {
  const { onRequest, ...hooks } = limits.creation('domains')
  return route({
    config,
    ...hooks,
    onRequest: [onRequest, mayCreate],
    schema: registrationSchema,
    async handler(request, reply) {
      const body = asObject(request.body)
      const errors = validate(body)
      if (errors.length > 0) throw invalidRequest(errors)
      const { domain: name, claim } = body as Static<typeof registrationBody>
      const charge = () => limits.charge(request, reply, 'domains')
      const holder = limits.holderOf(request)
      const registered = await registerCharged(charge, () =>
        claim === true ? domains.claim(name, holder) : domains.register(name, holder),
      )
      reply.code(registered.token === undefined ? 200 : 201)
      return uncached(reply).send(await viewRegistered(domains, registered))
    },
  })
}

/** Charges a registration, unless it is refused or the name was registered before. */
export async function registerCharged(charge: Charge, register: () => Promise<Registered>): Promise<Registered> {
  const { registered } = await runCharged(charge, async (chargeOnce) => {
    await chargeOnce()
    const result = await register()
    return { registered: result, isRetry: result.token === undefined }
  })
  return registered
}

function uncached(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store')
}
