import type { TLSSocket } from 'node:tls'
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

/** The addresses of pages of owners: what they begin with identifies the link, or the collection. */
const ownersPage = /^\/(?:m\/[^/?]+|c\/collection_[\w-]+)/

/**
 * Active custom domains only serve short links, their images and vCards. Names that are not active are not restricted, and
 * neither are those that led here before they were registered, until DNS proves that: anyone may register any name, including
 * an alternative name of the service itself.
 *
 * @param secureOrigin the origin of the pages when quirl itself serves HTTPS: over plain HTTP, a name that is not active
 * then serves codes, and redirects everything else there
 */
export function guardDomains(app: FastifyInstance, domains: Domains, secureOrigin: string | undefined): void {
  app.decorateRequest('customDomain')
  noteRefusals(app, ({ config }) => (config?.onDomains === true ? [] : ['not_found']))
  app.addHook('onRequest', (request, reply, done) => {
    if (domains.isEmpty()) return done()
    const name = hostName(request.headers.host)
    const status = domains.statusOf(name)
    const isServed = request.routeOptions.config.onDomains === true
    if (status === 'active') request.customDomain = name
    if (status === undefined || isServed) return done()
    if (status !== 'active') {
      const isReached = secureOrigin === undefined || (request.raw.socket as Partial<TLSSocket>).encrypted === true
      return isReached ? done() : redirectTo(secureOrigin, request, reply)
    }
    done(new Problem('not_found', 'this domain only serves short links and their images'))
  })
  app.addHook('onResponse', (request, reply, done) => {
    const page = reply.statusCode === 200 && ownersPage.exec(request.url)
    if (page) domains.pageSent(hostName(request.headers.host), page[0])
    done()
  })
}

function redirectTo(origin: string, { url }: FastifyRequest, reply: FastifyReply): void {
  void reply.header('cache-control', 'no-store').redirect(origin + (url.startsWith('/') ? url : '/'), 308)
}
