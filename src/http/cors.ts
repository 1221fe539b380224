import type { FastifyInstance } from 'fastify'
import { responseHeaders } from './response-headers.ts'

/** What a page of another origin may read. */
const exposed = Object.keys(responseHeaders).join(', ')

/** Lets pages of every origin call `app`'s routes. That is safe because there are no cookies. */
export function allowEveryOrigin(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': exposed,
      'x-content-type-options': 'nosniff',
    })
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      reply.headers({
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
        'access-control-allow-headers':
          'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, Quirl-Collection, Quirl-Domain',
        'access-control-max-age': '86400',
      })
    }
    done()
  })
}
