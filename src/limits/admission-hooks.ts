import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { wantsPage } from '../http/accept.ts'
import { Problem } from '../http/problem.ts'
import { sendProblem } from '../http/raw-problem.ts'
import type { Admission, Work } from './admission.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a route counts as; `pages` where it does not say. What is `first` does not wait for anything else. */
    work?: Work | 'first'
  }
  interface FastifyRequest {
    /** Waits for the request's turn, when it has a body: to be called when that has arrived, before it is parsed. */
    turn?: () => Promise<void>
    /** Ends the work that the request counts as. */
    leave?: () => void
  }
}

interface Needs {
  admission: Admission
  /** A key of the request's client, which says nothing of its address. */
  clientOf: (request: FastifyRequest) => string
  monotonic: () => number
}

type Done = (error?: Error) => void

/**
 * Makes every request for a route of `app` wait for its turn, or refuses it before its body is read. A body is waited for
 * first: whoever sends it slowly takes no place. Call it before the first route.
 */
export function admitInTurn(app: FastifyInstance, { admission, clientOf, monotonic }: Needs): void {
  app.decorateRequest('turn', undefined)
  app.decorateRequest('leave', undefined)
  const refuse = createRefuse(monotonic)
  const hooks = (work: Work) => ({
    onRequest(request: FastifyRequest, reply: FastifyReply, done: Done) {
      const client = clientOf(request)
      const problem = admission.refusal(work, client)
      if (problem !== undefined) return refuse(problem, request, reply, done)
      const enter = (begun: Done) =>
        waitFor((applicant) => admission.enter(work, applicant), client, request, reply, begun)
      if (!hasBody(request)) return enter(done)
      let turn: Promise<void> | undefined
      request.turn = () =>
        (turn ??= new Promise((resolve, reject) => enter((error) => (error === undefined ? resolve() : reject(error)))))
      done()
    },
    // A body that no route reads.
    preValidation({ turn }: FastifyRequest, _reply: FastifyReply, done: Done) {
      if (turn === undefined) done()
      else turn().then(() => done(), done)
    },
    onSend(
      request: FastifyRequest,
      _reply: FastifyReply,
      payload: unknown,
      done: (error: null, payload: unknown) => void,
    ) {
      request.leave?.()
      done(null, payload)
    },
  })

  app.addHook('onRoute', (route) => {
    const work = route.config?.work ?? 'pages'
    if (work === 'first') return
    // Before the route's own hooks: what is refused here is not charged.
    for (const [name, hook] of Object.entries(hooks(work)) as ['onRequest', never][]) {
      route[name] = [hook, ...[route[name] ?? []].flat()] as never
    }
  })
}

function waitFor(
  enter: (applicant: Parameters<Admission['enter']>[1]) => () => void,
  client: string,
  request: FastifyRequest,
  reply: FastifyReply,
  done: Done,
): void {
  // A response that waits behind another one of its connection does not close when that breaks.
  const connection = reply.raw.socket === null ? request.raw.socket : reply.raw
  let isBegun = false
  try {
    const leave = enter({
      client,
      begin() {
        isBegun = true
        done()
      },
      refuse(problem) {
        connection.off('close', onClose)
        done(problem)
      },
    })
    const onClose = () => {
      leave()
      if (!isBegun) done(new Problem('unavailable', 'nobody waits for this any more'))
    }
    connection.once('close', onClose)
    request.leave = () => {
      connection.off('close', onClose)
      leave()
    }
  } catch (error) {
    done(error as Error)
  }
}

const LOG_MS = 1000

/** Once a second, a refusal takes the way of all problems, on which it is logged; that way takes five times as long. */
function createRefuse(monotonic: () => number) {
  let loggedAt = Number.NEGATIVE_INFINITY
  return (problem: Problem, request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    if (monotonic() - loggedAt >= LOG_MS || wantsPage(request.headers.accept)) {
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
