import type { IncomingMessage, ServerResponse } from 'node:http'
import type { IsReserved } from '../links/code.ts'
import type { Visitor } from '../links/kinds/kind.ts'
import type { Scans } from '../scans/open.ts'
import type { Scan } from '../scans/scan.ts'
import { hasRules } from './decide.ts'
import type { Visits } from './open.ts'
import type { LiveLink } from './live-link.ts'

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
 * @param onResponse called with each response
 * @returns a handler, which returns whether it has handled the request
 */
export function createFastPath(
  visits: Pick<Visits, 'resolve' | 'decide' | 'visitorOf'>,
  scans: Pick<Scans, 'record' | 'recordScan'>,
  isReserved: IsReserved,
  onResponse: (response: ServerResponse) => void,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const { method, url = '' } = request
    if (method !== 'GET' && method !== 'HEAD') return false
    const code = visitedCode(url, isReserved)
    if (code === undefined) return false
    const redirect = resolveRedirect(visits, code, request)
    if (redirect === undefined) return false
    const { live, location, scan } = redirect
    const respond = () => {
      response.writeHead(302, ['location', location, 'cache-control', 'private, no-store', 'content-length', '0'])
      response.end()
      onResponse(response)
    }
    if (method === 'HEAD') respond()
    else if (scan === undefined) scans.record(request, live, respond)
    else scans.recordScan(scan, respond)
    return true
  }
}

interface Redirect {
  live: LiveLink
  location: string
  /** The scan to record, when a rule or the absence of one has decided by it. */
  scan?: Scan
}

function resolveRedirect(
  { resolve, decide, visitorOf }: Pick<Visits, 'resolve' | 'decide' | 'visitorOf'>,
  code: string,
  request: IncomingMessage,
): Redirect | undefined {
  try {
    const resolution = resolve(code)
    if (resolution instanceof Promise || resolution.state !== 'live') return undefined
    const { live } = resolution
    // A browser gets the warning, of which the route knows.
    if (live.isWarned) return undefined
    if (!hasRules(live)) return redirectOf(live, visitorOf(request))
    const decision = decide.ifLoaded(request, live)
    if (decision === undefined) return undefined
    const { met, scan } = decision
    if (met !== undefined) return 'location' in met.answer ? { live, location: met.answer.location, scan } : undefined
    const redirect = redirectOf(live, visitorOf(request))
    return redirect && { ...redirect, scan }
  } catch {
    // The route gets the same error, and responds with its problem.
    return undefined
  }
}

/** Where the link itself leads; undefined when it has another response. */
function redirectOf(live: LiveLink, visitor: Visitor): Redirect | undefined {
  const { kind, visit } = live
  // A kind with a file may have to send that.
  if (!kind.redirects || kind.file !== undefined) return undefined
  const outcome = visit(visitor)
  return outcome.type === 'redirect' ? { live, location: outcome.location } : undefined
}
