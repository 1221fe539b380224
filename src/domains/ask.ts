import type { IncomingMessage } from 'node:http'
import { Problem } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import { hostName } from '../lib/host.ts'
import type { Domains } from './open.ts'

/** What the question needs of the rest of the program. */
export interface AskNeeds {
  domains: Pick<Domains, 'admits'>
  /** Whether this machine or a trusted network made the request itself. */
  isInternal: (request: IncomingMessage) => boolean
}

/**
 * Where a proxy that gets certificates on demand asks for which names it may: 200 or 403. Only the proxy itself may
 * ask, and not who comes through it. `GET /internal/tls-ask`
 */
export function askRoute({ domains, isInternal }: AskNeeds): Route {
  return route<{ Querystring: { domain?: unknown } }>({
    // A handshake waits for it.
    config: { work: 'immediate' },
    schema: { hide: true },
    async handler(request, reply) {
      if (!isInternal(request.raw)) throw new Problem('not_admitted', 'only the proxy in front of this service may ask')
      const { domain } = request.query
      const name = typeof domain === 'string' ? hostName(domain) : ''
      if (await domains.admits(name)) return reply.header('cache-control', 'no-store').send({ admitted: true })
      throw new Problem('not_admitted', 'this name is not active here')
    },
  })
}
