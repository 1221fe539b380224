import type { FastifyInstance } from 'fastify'
import { Problem } from '../http/problem.ts'
import { noteRefusals } from '../http/refusals.ts'

/**
 * Refuses forms that a page of another site has made a browser send: they would use up the visitor's quotas, and put links
 * of a stranger among the visitor's own.
 */
export function refuseForeignForms(pages: FastifyInstance): void {
  noteRefusals(pages, ({ method }) => (method === 'POST' ? ['foreign_form'] : []))
  pages.addHook('onRequest', ({ method, headers }, _reply, done) => {
    if (method !== 'POST' || headers['sec-fetch-site'] !== 'cross-site') return done()
    done(
      new Problem(
        'foreign_form',
        'a page of another site has sent this form: it must be sent by a page of this service',
      ),
    )
  })
}
