import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { wantsPage } from '../http/accept.ts'
import { disconnected } from '../http/client-disconnect.ts'
import { Problem } from '../http/problem.ts'
import { markReceived } from '../http/request-metrics.ts'
import { sendProblem } from '../http/raw-problem.ts'
import type { Admission } from './admission.ts'
import type { WaitingRequest, Work } from './work.ts'
import type { Holder } from '../lib/holder.ts'
import { serveNetwork } from '../lib/served-network.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The kind of work that a route counts as, `pages` by default. Visits are never queued, nor is an `immediate` route. */
    work?: Work | 'visits' | 'immediate'
  }
  interface FastifyRequest {
    /** Waits in the queue. Only for a request with a body: to be called when the body has arrived, before it is parsed. */
    waitForStart?: () => Promise<void>
    /** Ends the work of the request. */
    endWork?: () => void
    /** Runs the handler of the request. @throws {Problem} when its client has disconnected before */
    handleWork?: <T>(handle: () => T) => T
  }
}

interface AdmissionDeps {
  admission: Admission
  /** Who a request counts for. */
  holderOf: (request: FastifyRequest) => Holder
  /** Whether a request came after the service had begun to stop. */
  isLate: (request: IncomingMessage) => boolean
  monotonic: () => number
}

type Done = (error?: Error) => void

/**
 * Queues every request for a route of `app`, or refuses it before its body is read. A request with a body is queued when
 * the body has arrived, so that a client who sends it slowly holds no slot. Once the service stops, late requests are
 * refused, except visits. To be called before the first route.
 */
export function queueRequests(app: FastifyInstance, deps: AdmissionDeps): void {
  app.decorateRequest('waitForStart', undefined)
  app.decorateRequest('endWork', undefined)
  app.decorateRequest('handleWork', undefined)
  const refuse = createRefuse(deps.monotonic)
  app.addHook('onRoute', (route) => {
    const work = route.config?.work ?? 'pages'
    if (work === 'visits' || work === 'immediate') return
    // Before the hooks of the route, so that a refused request is not charged.
    for (const [name, hook] of Object.entries(createHooks(work, deps, refuse)) as ['onRequest', never][]) {
      route[name] = [hook, ...[route[name] ?? []].flat()] as never
    }
    const { handler } = route
    route.handler = function (request, reply) {
      const handle = () => serveNetwork(deps.holderOf(request), () => handler.call(this, request, reply))
      return request.handleWork === undefined ? handle() : request.handleWork(handle)
    }
  })
}

type Refuse = (problem: Problem, request: FastifyRequest, reply: FastifyReply, done: Done) => void

const stopping = () => new Problem('unavailable', 'the service is stopping')

function createHooks(work: Work, { admission, holderOf, isLate }: AdmissionDeps, refuse: Refuse) {
  return {
    onRequest(request: FastifyRequest, reply: FastifyReply, done: Done) {
      const holder = holderOf(request)
      const problem = isLate(request.raw) ? stopping() : admission.refusal(work, holder)
      if (problem !== undefined) return refuse(problem, request, reply, done)
      const wait = (started: Done) =>
        waitInQueue((waiting) => admission.enter(work, waiting), holder, request, reply, started)
      const next: Done = (error) => serveNetwork(holder, () => done(error))
      if (!hasBody(request)) return wait(next)
      let start: Promise<void> | undefined
      request.waitForStart = () =>
        (start ??= new Promise((resolve, reject) => {
          markReceived(reply.raw)
          wait((error) => (error === undefined ? resolve() : reject(error)))
        }))
      next()
    },
    // For a body that no parser reads.
    preValidation({ waitForStart }: FastifyRequest, _reply: FastifyReply, done: Done) {
      if (waitForStart === undefined) done()
      else waitForStart().then(() => done(), done)
    },
    onSend(
      request: FastifyRequest,
      _reply: FastifyReply,
      payload: unknown,
      done: (error: null, payload: unknown) => void,
    ) {
      request.endWork?.()
      done(null, payload)
    },
  }
}

function waitInQueue(
  enter: (waiting: WaitingRequest) => () => void,
  holder: Holder,
  request: FastifyRequest,
  reply: FastifyReply,
  done: Done,
): void {
  // A response that waits behind another one of its connection does not close when the connection breaks.
  const connection = reply.raw.socket === null ? request.raw.socket : reply.raw
  const progress: Progress = { isStarted: false, isHandled: false, isClosed: false }
  try {
    const leave = enter({
      holder,
      start() {
        progress.isStarted = true
        request.raw.onWork?.()
        done()
      },
      refuse(problem) {
        connection.off('close', onClose)
        done(problem)
      },
    })
    const onClose = () => {
      progress.isClosed = true
      if (!progress.isHandled) leave()
      if (!progress.isStarted) done(disconnected())
    }
    connection.once('close', onClose)
    request.endWork = () => {
      connection.off('close', onClose)
      leave()
    }
    request.handleWork = (handle) => handleInPlace(progress, handle, leave)
  } catch (error) {
    done(error as Error)
  }
}

/** How far a request is. */
interface Progress {
  /** Its turn has come. */
  isStarted: boolean
  /** Its handler is at work. */
  isHandled: boolean
  /** Its client has disconnected. */
  isClosed: boolean
}

/**
 * Runs the handler of a request. Its work keeps its place until it has ended, also when its client disconnects: whoever does that
 * would have any number in progress.
 */
function handleInPlace<T>(progress: Progress, handle: () => T, leave: () => void): T {
  if (progress.isClosed) throw disconnected()
  progress.isHandled = true
  return endingWith(handle, () => {
    progress.isHandled = false
    if (progress.isClosed) leave()
  })
}

/** Calls `onEnd` when work has ended, with a promise or without. */
function endingWith<T>(work: () => T, onEnd: () => void): T {
  let result: T | undefined
  try {
    result = work()
  } finally {
    if (!(result instanceof Promise)) onEnd()
  }
  if (result instanceof Promise) result.then(onEnd, onEnd)
  return result
}

const LOG_INTERVAL_MS = 1000

/** Sends refusals without Fastify's error handling, which takes five times as long, except for one a second, to log it. */
function createRefuse(monotonic: () => number): Refuse {
  let loggedAt = Number.NEGATIVE_INFINITY
  return (problem, request, reply, done) => {
    if (monotonic() - loggedAt >= LOG_INTERVAL_MS || wantsPage(request.headers.accept)) {
      loggedAt = monotonic()
      return done(problem)
    }
    reply.hijack()
    for (const [name, value] of Object.entries(reply.getHeaders())) reply.raw.setHeader(name, value ?? '')
    sendProblem(reply.raw, problem, request.id)
  }
}

function hasBody({ raw: { headers } }: FastifyRequest): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}
