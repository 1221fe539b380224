import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { wantsPage } from './accept.ts'
import { sendPage } from './document.ts'
import { html, type Html } from './html.ts'
import { seldom } from '../lib/seldom.ts'
import { Problem, problemBody, type ProblemCode } from './problem.ts'

/** What Fastify refuses by itself, in the words of our catalogue. */
const frameworkFaults: Record<string, [code: ProblemCode, detail: string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'the body is larger than this address takes'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'the Content-Type must be application/json, or that of a plain form on pages',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'the body is not as long as its Content-Length says'],
  FST_ERR_BAD_URL: ['invalid_request', 'the path is not a valid URL path'],
}

/** What the page of an error says below its sentence, for the errors that have more to say to a person. */
export type ErrorPages = Partial<Record<ProblemCode, (request: FastifyRequest) => Html>>

/** What may be guessing. */
const misses: ReadonlySet<ProblemCode> = new Set(['unknown_code', 'unknown_token'])

/** A burst of refused work is one line a second, and so is a store that is away. */
const BURST_LOG_MS = 1_000

/** What errors need of the rest of the program. */
export interface ErrorHandling {
  monotonic: () => number
  /** Whether an error means that the store is away for now, or damaged. */
  isUnavailable: (error: unknown) => boolean
  pages: ErrorPages
  /** Told of each unknown code and token; a problem that it answers takes the place of the 404. */
  onMiss: (request: FastifyRequest, reply: FastifyReply) => Problem | undefined
}

/**
 * Makes every error of `app` an answer of the catalogue. A fault of ours is logged with its `request_id` and answered
 * without saying more; the log line holds the route's pattern and never the path, in which a token could stand.
 */
export function handleErrors(app: FastifyInstance, { monotonic, isUnavailable, pages, onMiss }: ErrorHandling): void {
  const logFault = createLogFault(monotonic)
  const refine = (problem: Problem, request: FastifyRequest, reply: FastifyReply) =>
    misses.has(problem.code) ? (onMiss(request, reply) ?? problem) : problem
  app.setErrorHandler((error, request, reply) => {
    // Nobody reads the response, and the log has nothing to say of it.
    if (isCutOff(request) || isGone(reply, error)) return reply.hijack()
    const problem = refine(toProblem(error, isUnavailable), request, reply)
    if (problem.status >= 500) logFault(request, error, problem)
    return answerProblem(request, reply, problem, pages[problem.code]?.(request))
  })
  ignoreBodies(app)
  answerUnknownPaths(app)
}

/** Whether the client has hung up before its request was whole. */
function isCutOff({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete
}

/** Whether a response that is a stream has nobody left to be sent to. */
function isGone({ raw }: FastifyReply, error: unknown): boolean {
  return raw.destroyed && error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

type LogFault = (request: FastifyRequest, error: unknown, problem: Problem) => void

/**
 * What is refused because there is too much to do is no fault of ours: it gets a line now and then, without a trace.
 * While the store is away every request that needs it fails in the same way: one of them is enough.
 */
function createLogFault(monotonic: () => number): LogFault {
  const logRefusal = seldom(BURST_LOG_MS, monotonic, (request: FastifyRequest, { message }: Problem) =>
    request.log.warn(placeOf(request), message),
  )
  const logFault: LogFault = (request, error, { message }) =>
    request.log.error({ err: error, ...placeOf(request) }, message)
  const logAway = seldom(BURST_LOG_MS, monotonic, logFault)
  return (request, error, problem) => {
    if (problem.code !== 'unavailable') logFault(request, error, problem)
    else if (problem.cause === undefined) logRefusal(request, problem)
    else logAway(request, error, problem)
  }
}

function placeOf({ id, method, routeOptions }: FastifyRequest): object {
  return { request_id: id, method, route: routeOptions.url }
}

const unknownPath = () => new Problem('not_found', 'no page and no endpoint has this address')

/** Makes every path that has no route an answer of the catalogue, after the hooks of `app`. */
export function handleUnknownPaths(app: FastifyInstance): void {
  // Before a body is read, which `app` does for its routes.
  app.addHook('onRequest', ({ is404 }, _reply, done) => {
    if (is404) done(unknownPath())
    else done()
  })
  answerUnknownPaths(app)
}

function answerUnknownPaths(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) => answerProblem(request, reply, unknownPath()))
}

/** Leaves bodies unread where no part of the program says how they are read. */
function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
}

/** Answers what Fastify refuses before it has found a route. */
export function answerFrameworkError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  void answerProblem(
    request,
    reply,
    toProblem(error, () => false),
  )
}

function toProblem(error: unknown, isUnavailable: (error: unknown) => boolean): Problem {
  if (error instanceof Problem) return error
  if (isUnavailable(error)) {
    return new Problem('unavailable', 'the store cannot be reached; a change may have been kept or not, try again', {
      headers: { 'retry-after': '5' },
      cause: error,
    })
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = frameworkFaults[code]
  if (known !== undefined) return new Problem(known[0], known[1], { cause: error })
  if (isRefusal(error)) return new Problem('invalid_request', 'this address takes no such request', { cause: error })
  return new Problem('internal_error', 'the fault is logged under this request_id', { cause: error })
}

/** Whether Fastify refuses a request for a reason that is not in our list. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && 'statusCode' in error)) return false
  return String(error.code).startsWith('FST_') && Number(error.statusCode) >= 400 && Number(error.statusCode) < 500
}

function answerProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem, more?: Html): FastifyReply {
  reply.code(problem.status).headers({ 'cache-control': 'no-store', ...problem.headers })
  if (wantsPage(request.headers.accept)) {
    const id = problem.status >= 500 && html`<p class="quiet">Request ${request.id}</p>`
    return sendPage(reply, {
      title: problem.title,
      body: html`<main>
        <h1>${problem.title}</h1>
        <p>${capitalised(problem.message)}.</p>
        ${id} ${more} ${request.customDomain === undefined && html`<p><a href="/">Create a link</a></p>`}
      </main>`,
    })
  }
  reply.header('x-content-type-options', 'nosniff')
  return reply.header('content-type', 'application/problem+json').send(problemBody(problem, request.id))
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/**
 * Gives each request the id under which a fault of it is logged: this process's random word and a count. Every visit
 * pays for its id, and a count costs a tenth of a random one.
 */
export function createRequestIds(): () => string {
  const word = randomBytes(6).toString('hex')
  let count = 0
  return () => `${word}-${(count++).toString(36)}`
}
