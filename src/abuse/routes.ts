import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { Type } from '#typebox'
import type { ClientAddress } from '../http/client-address.ts'
import { refuseForeign } from '../http/foreign-form.ts'
import { warnOfLocalUrl } from '../http/local-address.ts'
import type { Origin } from '../http/origin.ts'
import { problems } from '../http/problem-schema.ts'
import { Problem } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import type { Abuse } from './open.ts'
import { reportBody } from './reports.ts'

/** What reports need of the rest of the program. */
export interface ReportNeeds {
  report: Abuse['report']
  origin: Origin
  client: ClientAddress
  /** A hook that charges each report. */
  limitReports: onRequestAsyncHookHandler
}

const tags = ['Abuse']

/** Whether a URL is a short URL, of this service or of the name by which a report has reached it: that leads here, whoever has it. */
export function shortUrlsOf(origin: Origin, request: FastifyRequest): (url: URL) => boolean {
  const own = origin.of(request)
  const reached = URL.parse(`http://${request.headers.host ?? ''}`)?.host
  return (url) => url.origin === own || url.host === reached || origin.owns(url)
}

/** `POST /api/reports` */
export function reportRoute({ report, origin, client, limitReports }: ReportNeeds): Route {
  return route({
    config: { work: 'reports' },
    // Reports count by the networks of distinct people, and other sites have visitors of many.
    onRequest: [refuseForeign, limitReports],
    schema: {
      summary: 'Report a harmful code',
      operationId: 'report',
      description: 'No credential is needed, and the reporter cannot be found by what is stored.',
      tags,
      body: reportBody,
      response: {
        202: {
          description: 'The report was stored for the operator.',
          content: {
            'application/json': {
              schema: Type.Object({ received: Type.Literal(true), code: Type.String() }, { title: 'ReceivedReport' }),
            },
          },
        },
        ...problems('foreign_form', 'unknown_code', 'code_gone', 'code_removed', 'code_removed_by_law'),
      },
    },
    async handler(request, reply) {
      const owns = shortUrlsOf(origin, request)
      const code = await report(request.body, { address: client.of(request.raw), owns })
      return reply.code(202).header('cache-control', 'no-store').send({ received: true, code })
    },
  })
}

/** RFC 9116 recommends less than a year. The date is relative to the request: the contact is read at every start. */
const EXPIRES_MS = 180 * 86_400_000

/** What security.txt needs of the rest of the program. */
export interface SecurityNeeds {
  now: () => number
  origin: Origin
  contact: string | undefined
}

/** The security.txt of RFC 9116: `GET /.well-known/security.txt` */
export function securityRoute({ now, origin, contact }: SecurityNeeds): Route {
  return route({
    schema: {
      summary: 'Get the contact for abuse and security reports',
      operationId: 'securityTxt',
      description: 'The security.txt of RFC 9116; 404 unless the operator has set a contact.',
      tags,
      response: {
        200: { description: 'The contact.', content: { 'text/plain': { schema: Type.String() } } },
        ...problems('not_found'),
      },
    },
    async handler(request, reply) {
      if (contact === undefined) throw new Problem('not_found', 'the operator of this service has set no contact')
      const own = origin.of(request)
      warnOfLocalUrl(reply, own)
      const expires = new Date(now() + EXPIRES_MS).toISOString().replace(/\.\d+Z$/, 'Z')
      const lines = [
        `Contact: ${contact}`,
        `Contact: ${own}/report`,
        `Expires: ${expires}`,
        'Preferred-Languages: en',
        `Canonical: ${own}/.well-known/security.txt`,
      ]
      // A web contact must be https (RFC 9116, 2.5.3), which a service on localhost is not.
      const sent = lines.filter((line) => !line.startsWith('Contact: http:'))
      return reply
        .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=86400' })
        .send(`${sent.join('\n')}\n`)
    },
  })
}
