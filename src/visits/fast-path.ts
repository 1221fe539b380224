import type { IncomingMessage, ServerResponse } from 'node:http'
import type { IsReserved } from '../links/code.ts'
import type { Visits } from './open.ts'
import { platformOf } from './platform.ts'

/** A path that is a code, perhaps of a compact QR image, and nothing more; the query belongs to the visit. */
const codePath = /^\/([A-Za-z0-9_-]{1,64})(?:\.[Qq])?(?:\?|$)/

/** The code that a URL visits; undefined when it is none, or that of a page. */
export function visitedCode(url: string, isReserved: IsReserved): string | undefined {
  const code = codePath.exec(url)?.[1]
  return code === undefined || isReserved(code) ? undefined : code
}

/**
 * Answers the visits of redirects that are known at once, before the router and its hooks: nearly all of them, and nearly
 * all of what the service does. It does just what the route does, which answers every other visit.
 * @param isReserved whether a path of one word is, or may become, that of a page
 * @returns whether the request was one of these
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
    const redirect = redirectAtOnce(resolve, code, request)
    if (redirect === undefined) return false
    const { id, location } = redirect
    const answer = () => {
      response.writeHead(302, ['location', location, 'cache-control', 'private, no-store', 'content-length', '0'])
      response.end()
    }
    if (method === 'GET') record(request, id, answer)
    else answer()
    return true
  }
}

function redirectAtOnce(
  resolve: Visits['resolve'],
  code: string,
  { headers }: IncomingMessage,
): { id: number; location: string } | undefined {
  try {
    const resolution = resolve(code)
    if (resolution instanceof Promise || resolution.state !== 'live') return undefined
    const { id, kind, visit } = resolution.live
    // A kind with a file may have to answer with that.
    if (!kind.redirects || kind.file !== undefined) return undefined
    const outcome = visit({ platform: platformOf(headers['user-agent']) })
    return outcome.type === 'redirect' ? { id, location: outcome.location } : undefined
  } catch {
    // The route meets the same fault, and its answer is the one of the catalogue.
    return undefined
  }
}
