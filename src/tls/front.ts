import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { createRequestIds } from '../http/error-handler.ts'
import { Problem } from '../http/problem.ts'
import { sendProblem } from '../http/raw-problem.ts'
import { hostName } from '../lib/host.ts'

/** Answers what TLS decides before any route; false when the request is to go on to them. */
export type Front = (request: IncomingMessage, response: ServerResponse) => boolean

interface FrontDeps {
  /** The service's own origin; an https one. */
  origin: string
  host: string
  statusOf: (name: string) => string | undefined
  /** The answer to a challenge of a certificate authority. */
  challenge: (token: string) => Promise<string | undefined>
}

/** A year. Only our own host says so: a domain's owner may take the domain elsewhere. */
const STRICT_TRANSPORT = 'max-age=31536000'

const challengePath = /^\/\.well-known\/acme-challenge\/([A-Za-z0-9_-]{1,200})$/

/** Balancers and monitors ask by address and without TLS. */
const health = /^\/(?:healthz|readyz)(?:\?|$)/

export function createFront({ origin, host, statusOf, challenge }: FrontDeps): Front {
  const nextId = createRequestIds()
  const refuse = (response: ServerResponse, problem: Problem) => {
    sendProblem(response, problem, nextId())
    return true
  }

  function overTls(request: IncomingMessage, response: ServerResponse): boolean {
    const name = hostName(request.headers.host)
    if (name === host) {
      response.setHeader('strict-transport-security', STRICT_TRANSPORT)
      return false
    }
    if (statusOf(name) === 'active') return false
    return refuse(response, new Problem('misdirected', 'this host is neither the service nor an active custom domain'))
  }

  function plain(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '/' } = request
    const token = challengePath.exec(url)?.[1]
    if (token !== undefined) {
      void answerChallenge(challenge(token), response)
      return true
    }
    const status = statusOf(hostName(request.headers.host))
    // Until a domain has its certificate, its codes must work all the same.
    if (health.test(url) || status === 'active') return false
    if (/^\/(?:api|internal)(?:[/?]|$)/.test(url)) {
      return refuse(response, new Problem('tls_required', `this address is only for HTTPS: ${origin}`))
    }
    // What is a code there and what is a page, the routes know.
    if (status !== undefined) return false
    const path = url.startsWith('/') ? url : '/'
    response.writeHead(308, { location: origin + path, 'content-length': 0, 'cache-control': 'no-store' }).end()
    return true
  }

  return (request, response) =>
    (request.socket as Partial<TLSSocket>).encrypted === true ? overTls(request, response) : plain(request, response)
}

async function answerChallenge(found: Promise<string | undefined>, response: ServerResponse): Promise<void> {
  const answer = await found.catch(() => undefined)
  response
    .writeHead(answer === undefined ? 404 : 200, {
      'content-type': 'application/octet-stream',
      'cache-control': 'no-store',
    })
    .end(answer ?? '')
}
