import type { FastifyInstance } from 'fastify'
import { Problem } from '../http/problem.ts'
import { hostName } from '../lib/host.ts'
import type { Domains } from './domains.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route is served on custom domains as well. */
    onDomains?: boolean
  }
}

/** On a custom domain there are short links and what belongs to them; everything else is the service's own host's. */
export function guardDomains(app: FastifyInstance, domains: Pick<Domains, 'isEmpty' | 'statusOf'>): void {
  app.decorateRequest('customDomain')
  app.addHook('onRequest', (request, _reply, done) => {
    if (domains.isEmpty()) return done()
    const name = hostName(request.headers.host)
    if (domains.statusOf(name) === undefined) return done()
    request.customDomain = name
    if (request.routeOptions.config.onDomains === true) return done()
    done(new Problem('not_found', 'on this domain there are short links and their images, and nothing else'))
  })
}
