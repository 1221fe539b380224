import type { IncomingMessage } from 'node:http'
import { Problem } from './problem.ts'

/** A host, and perhaps a port, as a URL has them (RFC 3986, 3.2.2); empty where the URL has none. */
const hostField = /^[A-Za-z0-9._~%!$&'()*+,;=:[\]-]*$/

/**
 * Finds violations of RFC 9112 that Node's parser accepts, and that a proxy could interpret differently. Rewrites a
 * target in absolute form to its path.
 */
export function requestFault(request: IncomingMessage): Problem | undefined {
  const { url = '' } = request
  const fault = framingFault(request) ?? hostFault(request)
  if (fault !== undefined || url.startsWith('/') || url === '*') return fault
  return rewriteAbsolute(request, url)
}

function isOld({ httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.0'
}

function framingFault(request: IncomingMessage): Problem | undefined {
  const { headers } = request
  if (headers['transfer-encoding'] !== undefined && isOld(request)) {
    return invalid('HTTP/1.0 has no Transfer-Encoding')
  }
  if (headers.expect !== undefined && !isOld(request) && headers.expect.toLowerCase() !== '100-continue') {
    return new Problem('expectation_failed', 'the only supported expectation is 100-continue')
  }
  return undefined
}

function hostFault(request: IncomingMessage): Problem | undefined {
  const hosts = countHosts(request.rawHeaders)
  if (hosts > 1) return invalid('the request has more than one Host field')
  if (hosts === 0) return isOld(request) ? undefined : invalid('the request has no Host field')
  return hostField.test(request.headers.host ?? '') ? undefined : invalid('the Host field is not a host and a port')
}

function countHosts(rawHeaders: string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}

/** RFC 9112, 3.2.2: a server must accept the absolute form. Its host must be the one of the Host field. */
function rewriteAbsolute(request: IncomingMessage, url: string): Problem | undefined {
  const [, scheme = '', authority = ''] = /^(https?):\/\/([^/?#]*)/i.exec(url) ?? []
  if (scheme === '') return invalid('the target of the request is neither a path nor an http address')
  const path = url.slice(scheme.length + 3 + authority.length)
  const host = request.headers.host ?? authority
  if (withoutPort(authority, scheme) !== withoutPort(host, scheme)) {
    return invalid('the target of the request names another host than its Host field')
  }
  request.url = path.startsWith('/') ? path : `/${path}`
  return undefined
}

/** An authority without the default port of the scheme, for comparison. */
function withoutPort(authority: string, scheme: string): string {
  const port = scheme.toLowerCase() === 'https' ? ':443' : ':80'
  const name = authority.toLowerCase()
  return name.endsWith(port) ? name.slice(0, -port.length) : name
}

function invalid(detail: string): Problem {
  return new Problem('invalid_request', detail, { headers: { connection: 'close' } })
}
