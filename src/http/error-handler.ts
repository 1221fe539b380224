import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { wantsPage } from './accept.ts'
import { addVary } from './compress.ts'
import { sendPage } from './document.ts'
import type { Html } from './html.ts'
import { throttle } from '../lib/throttle.ts'
import { problemPage } from './problem-page.ts'
import { Problem, problemMembers, type ProblemCode } from './problem.ts'
import { withNotices } from './notices.ts'
import { noteRefusals } from './refusals.ts'
import { ownValue } from '../lib/own-value.ts'

/** Problems for the errors that Fastify itself throws. */
const frameworkProblems: Record<string, [code: ProblemCode, detail: string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'the Content-Type must be application/json, or that of an HTML form on pages',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'the length of the body is not its Content-Length'],
  FST_ERR_BAD_URL: ['invalid_request', 'the path is not a valid URL path'],
}

/** Responses for owners are private: caches, referred sites and search engines must not see them. */
export const ownerHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' }

/** What error pages add below their message, by code. */
export type ErrorPages = Partial<Record<ProblemCode, (request: FastifyRequest) => Html>>

/** Codes that a client who guesses codes, tokens or names gets. */
const notFoundCodes: ReadonlySet<ProblemCode> = new Set([
  'unknown_code',
  'unknown_token',
  'unknown_domain',
  'collection_not_found',
])

/** Overload and an unreachable store each write at most one log line in this time. */
const THROTTLE_LOG_MS = 1_000

/** What error handling needs from the rest of the program. */
export interface ErrorHandling {
  monotonic: () => number
  /**
   * The detail for an error that means that the store cannot be used right now; undefined for any other.
   * @param mayChange whether the request may have changed something
   */
  unavailability: (error: unknown, mayChange: boolean) => string | undefined
  pages: ErrorPages
  /** Charges an unknown code or token; returns the problem to send instead when the quota is used up. */
  chargeNotFound: (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined>
}

/**
 * Sends every error of `app` as a problem of the catalogue. An internal error is logged under its `request_id`, and its
 * response reveals nothing else. The log line has the route's pattern instead of the path, which may contain a token.
 * A client that has disconnected gets no response, and that it has is not worth logging.
 */
export function handleErrors(app: FastifyInstance, handling: ErrorHandling): void {
  const { monotonic, unavailability, pages, chargeNotFound } = handling
  const logError = createLogError(monotonic)
  let isStopping = false
  app.addHook('preClose', (done) => {
    isStopping = true
    done()
  })
  app.setErrorHandler((error, request, reply) => {
    if (isRequestAborted(request) || isResponseAborted(reply, error)) return reply.hijack()
    const mayChange = request.method !== 'GET' && request.method !== 'HEAD'
    const problem = toProblem(error, (cause) => unavailability(cause, mayChange), request.routeOptions.bodyLimit)
    // A request that has left a queue, or that the stop did not wait for. An unreachable store and a bug are logged all the same.
    const isRefusal = problem.code === 'unavailable' && (problem.cause === undefined || isStopping)
    // The socket is destroyed before its response says so.
    if (isRefusal && (reply.raw.destroyed || request.raw.socket.destroyed)) return reply.hijack()
    if (problem.status >= 500) logError(request, error, problem)
    const send = (sent: Problem) => replyWithProblem(request, reply, sent, pages[sent.code]?.(request))
    if (!notFoundCodes.has(problem.code)) return send(problem)
    return chargeNotFound(request, reply).then((refusal) => send(refusal ?? problem))
  })
  noteRefusals(app, () => ['internal_error', 'unavailable'])
  ignoreBodies(app)
  handleNotFound(app)
}

/** Whether the client disconnected before it had sent the whole request. */
function isRequestAborted({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete
}

/** Whether the client disconnected while a stream was sent to it. */
function isResponseAborted({ raw }: FastifyReply, error: unknown): boolean {
  return raw.destroyed && error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

type LogError = (request: FastifyRequest, error: unknown, problem: Problem) => void

/**
 * Overload is not a bug: it is logged as a warning, throttled and without a stack trace. While the store cannot be
 * reached, all requests that need it fail in the same way, so that these errors are throttled as well.
 */
function createLogError(monotonic: () => number): LogError {
  const logOverload = throttle(THROTTLE_LOG_MS, monotonic, (request: FastifyRequest, { message }: Problem) =>
    request.log.warn(contextOf(request), message),
  )
  const logError: LogError = (request, error, { message }) =>
    request.log.error({ err: error, ...contextOf(request) }, message)
  const logUnreachable = throttle(THROTTLE_LOG_MS, monotonic, logError)
  return (request, error, problem) => {
    if (problem.code !== 'unavailable') logError(request, error, problem)
    else if (problem.cause === undefined) logOverload(request, problem)
    else logUnreachable(request, error, problem)
  }
}

function contextOf({ id, method, routeOptions }: FastifyRequest): object {
  return { request_id: id, method, route: routeOptions.url }
}

const unknownPath = () => new Problem('not_found', 'no page and no endpoint has this address')

/** Sends a problem for every path without a route, after the hooks of `app`. */
export function handleUnknownPaths(app: FastifyInstance): void {
  // In a hook, so that `app` reads no body for an unknown path.
  app.addHook('onRequest', ({ is404 }, _reply, done) => {
    if (is404) done(unknownPath())
    else done()
  })
  handleNotFound(app)
}

function handleNotFound(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) => replyWithProblem(request, reply, unknownPath()))
}

/** Leaves bodies unread wherever no plugin registers a parser. */
function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
}

/** Handles what Fastify refuses before it has found a route. */
export function answerFrameworkError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  void replyWithProblem(
    request,
    reply,
    toProblem(error, () => undefined),
  )
}

function toProblem(error: unknown, unavailability: (error: unknown) => string | undefined, bodyLimit = 0): Problem {
  if (error instanceof Problem) return error
  const detail = unavailability(error)
  if (detail !== undefined) return new Problem('unavailable', detail, { cause: error })
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Problem('body_too_large', `the body must be at most ${bodyLimit} bytes long`, { cause: error })
  const known = ownValue(frameworkProblems, code)
  if (known !== undefined) return new Problem(known[0], known[1], { cause: error })
  if (isRefusal(error))
    return new Problem('invalid_request', 'this address does not accept such a request', { cause: error })
  return new Problem('internal_error', 'the error was logged under this request_id', { cause: error })
}

/** Whether an error is a refusal of Fastify that is not listed above. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && 'statusCode' in error)) return false
  return String(error.code).startsWith('FST_') && Number(error.statusCode) >= 400 && Number(error.statusCode) < 500
}

function replyWithProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem, more?: Html): FastifyReply {
  // Also for paths without a route, whose hooks do not run.
  reply.code(problem.status).headers({ 'cache-control': 'no-store', ...headersOfPath(request.url), ...problem.headers })
  if (wantsPage(request.headers.accept)) {
    addVary(reply, 'accept')
    addVary(reply, 'accept-language')
    return sendPage(reply, problemPage(problem, request, more))
  }
  reply.header('x-content-type-options', 'nosniff')
  const body = withNotices(request, problemMembers(problem, request.id))
  return reply.header('content-type', 'application/problem+json').send(JSON.stringify(body))
}

/** What every response below a path has. */
function headersOfPath(url: string): Record<string, string> {
  return {
    ...(/^\/(?:m|api\/manage)(?=[/?]|$)/.test(url) && ownerHeaders),
    ...(/^\/api(?=[/?]|$)/.test(url) && { 'access-control-allow-origin': '*' }),
  }
}

/**
 * Creates request ids: a random prefix of this process and a count. Every visit needs an id, and a count costs a tenth
 * of a random one.
 */
export function createRequestIds(): () => string {
  const prefix = randomBytes(6).toString('hex')
  let count = 0
  return () => `${prefix}-${(count++).toString(36)}`
}
