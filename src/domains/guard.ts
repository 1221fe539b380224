import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../http/problem.ts'
import { hostName } from '../lib/host.ts'
import type { Domains } from './open.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route is served on custom domains as well. */
    onDomains?: boolean
  }
}

/**
 * On a custom domain there are short links and what belongs to them; everything else is the service's own host's. Only
 * a name whose DNS leads here is one: anyone may register any name, also one by which the service itself is reached.
 *
 * @param secureOrigin where pages are when quirl itself serves HTTPS; over plain HTTP a name that is not active then
 * has codes, and its other addresses lead there, as those of a name that is not registered do
 */
export function guardDomains(
  app: FastifyInstance,
  domains: Pick<Domains, 'isEmpty' | 'statusOf'>,
  secureOrigin: string | undefined,
): void {
  app.decorateRequest('customDomain')
  app.addHook('onRequest', (request, reply, done) => {
    if (domains.isEmpty()) return done()
    const name = hostName(request.headers.host)
    const status = domains.statusOf(name)
    const isServed = request.routeOptions.config.onDomains === true
    if (status === 'active') request.customDomain = name
    if (status === undefined || isServed) return done()
    if (status !== 'active') return secureOrigin === undefined ? done() : leadTo(secureOrigin, request, reply)
    done(new Problem('not_found', 'on this domain there are short links and their images, and nothing else'))
  })
}

function leadTo(origin: string, { url }: FastifyRequest, reply: FastifyReply): void {
  void reply.header('cache-control', 'no-store').redirect(origin + (url.startsWith('/') ? url : '/'), 308)
}
