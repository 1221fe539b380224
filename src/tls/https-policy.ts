import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { TLSSocket } from 'node:tls'
import { createRequestIds } from '../http/error-handler.ts'
import { Problem } from '../http/problem.ts'
import { sendProblem } from '../http/raw-problem.ts'
import { noteRefusals } from '../http/refusals.ts'
import type { Holder } from '../lib/holder.ts'
import { hostName } from '../lib/host.ts'
import { createHold } from './hold.ts'

/** Handles requests that TLS rules decide before routing; returns false when the routes handle the request. */
export type HttpsPolicy = (request: IncomingMessage, response: ServerResponse) => boolean

interface HttpsPolicyOptions {
  /** The service's own origin; an https one. */
  origin: string
  host: string
  statusOf: (name: string) => string | undefined
  /** Finds the response to a challenge of a certificate authority. */
  challenge: (token: string) => Promise<string | undefined>
  /** Who a request counts for. */
  holderOf: (request: IncomingMessage) => Holder
}

/** Look-ups of challenges at the same time, which anyone may ask for: visits share the connections to the store. */
const MAX_LOOK_UPS = 100

/** A year. Only for the service's own host: the owner of a custom domain may move it to another server. */
const STRICT_TRANSPORT = 'max-age=31536000'

const challengePath = /^\/\.well-known\/acme-challenge\/([A-Za-z0-9_-]{1,200})$/

/** Load balancers and monitors send these by address and without TLS. */
const health = /^\/(?:healthz|readyz)(?:\?|$)/

/** Programs are refused without TLS, so that they do not go on to send their tokens in the clear. */
const programs = /^\/(?:api|internal)(?:[/?]|$)/

/** Notes what these rules answer in place of each route, where the service has HTTPS of its own. */
export function noteHttps(app: FastifyInstance): void {
  noteRefusals(app, ({ url }) => (programs.test(url) ? ['misdirected', 'tls_required'] : ['misdirected']))
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, movesToHttps: !programs.test(route.url) && !health.test(route.url) }
  })
}

export function createHttpsPolicy({ origin, host, statusOf, challenge, holderOf }: HttpsPolicyOptions): HttpsPolicy {
  const nextId = createRequestIds()
  const refuse = (response: ServerResponse, problem: Problem) => {
    sendProblem(response, problem, nextId())
    return true
  }
  const answerChallenge = createAnswerChallenge({ challenge, holderOf }, refuse)

  function overTls(request: IncomingMessage, response: ServerResponse): boolean {
    const name = hostName(request.headers.host)
    if (name === host) {
      response.setHeader('strict-transport-security', STRICT_TRANSPORT)
      return false
    }
    // One that is open serves pages as well, which the routes decide.
    if (['active', 'open'].includes(statusOf(name) ?? '')) return false
    return refuse(response, new Problem('misdirected', 'this host is neither the service nor an active custom domain'))
  }

  function plain(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '/' } = request
    const token = challengePath.exec(url)?.[1]
    if (token !== undefined) return answerChallenge(token, request, response)
    const status = statusOf(hostName(request.headers.host))
    // The codes of a domain must work before it has a certificate.
    if (health.test(url) || status === 'active') return false
    if (programs.test(url)) {
      return refuse(response, new Problem('tls_required', `the API requires HTTPS: ${origin}`))
    }
    // On a registered domain the routes decide what is a code.
    if (status !== undefined) return false
    const path = url.startsWith('/') ? url : '/'
    response.writeHead(308, { location: origin + path, 'content-length': 0, 'cache-control': 'no-store' }).end()
    return true
  }

  return (request, response) =>
    (request.socket as Partial<TLSSocket>).encrypted === true ? overTls(request, response) : plain(request, response)
}

/** @param refuse answers with a problem, when too many are looked up */
function createAnswerChallenge(
  { challenge, holderOf }: Pick<HttpsPolicyOptions, 'challenge' | 'holderOf'>,
  refuse: (response: ServerResponse, problem: Problem) => void,
) {
  const lookUps = createHold(MAX_LOOK_UPS)
  async function answer(token: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A look-up keeps its place also when its client has left.
    const { signal: ended } = new AbortController()
    const found = await lookUps
      .wait({ holder: holderOf(request), ended }, async () => ({ body: await challenge(token) }))
      .catch(() => ({ body: undefined }))
    if (found === undefined) return refuse(response, tooManyLookUps())
    const { body } = found
    const headers = { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' }
    response.writeHead(body === undefined ? 404 : 200, headers).end(body ?? '')
  }
  return (...request: Parameters<typeof answer>): true => {
    void answer(...request)
    return true
  }
}

function tooManyLookUps(): Problem {
  const headers = { 'retry-after': '1' }
  return new Problem('unavailable', 'too many responses to challenges are looked up, try again in a moment', {
    headers,
  })
}
