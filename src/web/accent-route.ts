import { route, type Route } from '../http/route.ts'
import { accentStyles } from '../links/kinds/shared/accent.ts'

/** The stylesheet of an owner's colour, which is in the path: `/assets/accent-<rrggbb>.css` */
export function accentRoute(): Route {
  const headers = {
    'content-type': 'text/css; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  }
  return route<{ Params: { color: string } }>({
    schema: { hide: true },
    config: { onDomains: true },
    handler: async (request, reply) => reply.headers(headers).send(accentStyles(`#${request.params.color}`)),
  })
}
