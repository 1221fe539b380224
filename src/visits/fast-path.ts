import type { IncomingMessage, ServerResponse } from 'node:http'
import type { IsReserved } from '../links/code.ts'
import type { Visits } from './open.ts'
import { platformOf } from './platform.ts'

/** A path of one code, perhaps with the ending of compact QR images; the query belongs to the visit. */
const codePath = /^\/([A-Za-z0-9_-]{1,64})(?:\.[Qq])?(?:\?|$)/

/** The code that a URL visits; undefined when its path has none, or belongs to a page. */
export function visitedCode(url: string, isReserved: IsReserved): string | undefined {
  const code = codePath.exec(url)?.[1]
  return code === undefined || isReserved(code) ? undefined : code
}

/**
 * Handles visits of redirects that resolve synchronously, before the router and its hooks: nearly all visits, and most of
 * the service's work. The response is the same as that of the route, which handles all other visits.
 * @returns a handler, which returns whether it has handled the request
 */
export function createFastPath(
  { resolve, record }: Pick<Visits, 'resolve' | 'record'>,
  isReserved: IsReserved,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const { method, url = '' } = request
    if (method !== 'GET' && method !== 'HEAD') return false
    const code = visitedCode(url, isReserved)
    if (code === undefined) return false
    const redirect = resolveRedirect(resolve, code, request)
    if (redirect === undefined) return false
    const { id, location } = redirect
    const respond = () => {
      response.writeHead(302, ['location', location, 'cache-control', 'private, no-store', 'content-length', '0'])
      response.end()
    }
    if (method === 'GET') record(request, id, respond)
    else respond()
    return true
  }
}

function resolveRedirect(
  resolve: Visits['resolve'],
  code: string,
  { headers }: IncomingMessage,
): { id: number; location: string } | undefined {
  try {
    const resolution = resolve(code)
    if (resolution instanceof Promise || resolution.state !== 'live') return undefined
    const { id, kind, visit } = resolution.live
    // A kind with a file may have to send that.
    if (!kind.redirects || kind.file !== undefined) return undefined
    const outcome = visit({ platform: platformOf(headers['user-agent']) })
    return outcome.type === 'redirect' ? { id, location: outcome.location } : undefined
  } catch {
    // The route gets the same error, and responds with its problem.
    return undefined
  }
}
