import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../http/problem.ts'
import { noteRefusals } from '../http/refusals.ts'
import { hostName } from '../lib/host.ts'
import type { Domains } from './open.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether custom domains serve the route as well. */
    onDomains?: boolean
  }
}

/**
 * Active custom domains only serve short links, their images and vCards. Names that are not active are not restricted:
 * anyone may register any name, including an alternative name of the service itself.
 *
 * @param secureOrigin the origin of the pages when quirl itself serves HTTPS: over plain HTTP, a name that is not active
 * then serves codes, and redirects everything else there
 */
export function guardDomains(
  app: FastifyInstance,
  domains: Pick<Domains, 'isEmpty' | 'statusOf'>,
  secureOrigin: string | undefined,
): void {
  app.decorateRequest('customDomain')
  noteRefusals(app, ({ config }) => (config?.onDomains === true ? [] : ['not_found']))
  app.addHook('onRequest', (request, reply, done) => {
    if (domains.isEmpty()) return done()
    const name = hostName(request.headers.host)
    const status = domains.statusOf(name)
    const isServed = request.routeOptions.config.onDomains === true
    if (status === 'active') request.customDomain = name
    if (status === undefined || isServed) return done()
    if (status !== 'active') return secureOrigin === undefined ? done() : redirectTo(secureOrigin, request, reply)
    done(new Problem('not_found', 'this domain only serves short links and their images'))
  })
}

function redirectTo(origin: string, { url }: FastifyRequest, reply: FastifyReply): void {
  void reply.header('cache-control', 'no-store').redirect(origin + (url.startsWith('/') ? url : '/'), 308)
}
