import type { FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { Problem } from './problem.ts'

/**
 * Whether a page of another site has made a browser send a request (`Sec-Fetch-Site`, Fetch Metadata of the W3C). Programs, and browsers
 * over plain HTTP, say nothing of it.
 */
export const isForeign = ({ headers }: Pick<FastifyRequest, 'headers'>) => headers['sec-fetch-site'] === 'cross-site'

/** A hook that refuses what a page of another site has made a browser send. */
export function refuseForeign(request: FastifyRequest, _reply: unknown, done: HookHandlerDoneFunction): void {
  if (!isForeign(request)) return done()
  done(
    new Problem('foreign_form', 'a page of another site has sent this form: it must be sent by a page of this service'),
  )
}
