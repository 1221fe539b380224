import type { IncomingMessage } from 'node:http'
import { Problem } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import { hostName } from '../lib/host.ts'
import type { Domains } from './open.ts'

export interface TlsAskNeeds {
  domains: Domains
  /** Whether this machine or a trusted network made the request itself. */
  isInternal: (request: IncomingMessage) => boolean
}

/**
 * `GET /internal/tls-ask`: returns 200 or 403 to a proxy with on-demand certificates. Requests that the proxy forwards
 * are refused.
 */
export function tlsAskRoute({ domains, isInternal }: TlsAskNeeds): Route {
  return route<{ Querystring: { domain?: unknown } }>({
    // A handshake waits for the response.
    config: { work: 'immediate' },
    schema: { hide: true },
    async handler(request, reply) {
      if (!isInternal(request.raw))
        throw new Problem('not_admitted', 'only the proxy in front of this service may send this request')
      const { domain } = request.query
      const name = typeof domain === 'string' ? hostName(domain) : ''
      if (await domains.mayHaveCertificate(name))
        return reply.header('cache-control', 'no-store').send({ admitted: true })
      throw new Problem('not_admitted', 'this name is not active here')
    },
  })
}
