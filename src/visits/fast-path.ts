import type { IncomingMessage, ServerResponse } from 'node:http'
import { platformOf } from './platform.ts'
import type { VisitDeps } from './routes.ts'

/** A path that is a code, perhaps of a compact QR image, and nothing more; the query belongs to the visit. */
const codePath = /^\/([A-Za-z0-9_-]{1,64})(?:\.[Qq])?(?:\?|$)/

/**
 * Answers the visits of redirects that are in memory, before the router and its hooks: nearly all of them, and nearly
 * all of what the service does. It does just what the route does, which answers every other visit.
 * @returns whether the request was one of these
 */
export function createFastPath(deps: VisitDeps): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const { method, url = '' } = request
    if (method !== 'GET' && method !== 'HEAD') return false
    const code = codePath.exec(url)?.[1]
    const live = code === undefined ? undefined : deps.resolver.peek(code)
    // A kind with a file may have to answer with that.
    if (live === undefined || live.kind.file !== undefined) return false
    const outcome = live.visit({ platform: platformOf(request.headers['user-agent']) })
    if (outcome.type !== 'redirect') return false
    const answer = () => {
      response.writeHead(302, [
        'location',
        outcome.location,
        'cache-control',
        'private, no-store',
        'content-length',
        '0',
      ])
      response.end()
    }
    if (method === 'GET') deps.record(request, live.link.id, answer)
    else answer()
    return true
  }
}
