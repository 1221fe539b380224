import type { FastifyInstance } from 'fastify'
import { refuseForeign } from '../http/foreign-form.ts'
import { noteRefusals } from '../http/refusals.ts'

/**
 * Refuses forms that a page of another site has made a browser send: they would use up the visitor's quotas, and put links
 * of a stranger among the visitor's own.
 */
export function refuseForeignForms(pages: FastifyInstance): void {
  noteRefusals(pages, ({ method }) => (method === 'POST' ? ['foreign_form'] : []))
  pages.addHook('onRequest', (request, reply, done) =>
    request.method === 'POST' ? refuseForeign(request, reply, done) : done(),
  )
}
