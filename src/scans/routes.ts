import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { Type, type Static } from 'typebox'
import { invalidRequest } from '../http/problem.ts'
import { problems } from '../http/problem-schema.ts'
import { tokenOf } from '../links/access.ts'
import { csvHeader } from './export.ts'
import { liveRoute } from './live.ts'
import { createAddOwnerRoute, type AddOwnerRoute, type ScanDeps } from './owner-route.ts'
import type { Recorder } from './recorder.ts'
import { statsBody, statsQuery } from './schemas.ts'
import type { Audience } from './stats.ts'

/** Rows of one turn of the export. */
const PAGE_ROWS = 5000

/** The statistics of the API, below /api. */
export function scanRoutes(app: FastifyInstance, deps: ScanDeps): void {
  const addRoute = createAddOwnerRoute(app)
  statsRoute(addRoute, deps)
  exportRoute(addRoute, deps)
  liveRoute(addRoute, deps)
}

function statsRoute(addRoute: AddOwnerRoute, { recorder, now, linkOfToken }: ScanDeps): void {
  addRoute(
    'stats',
    {
      summary: 'Read the statistics of a link',
      operationId: 'readStats',
      tags: ['Statistics'],
      querystring: statsQuery,
      response: {
        200: { description: 'The statistics.', content: { 'application/json': { schema: statsBody } } },
        ...problems('invalid_request', 'unknown_token'),
      },
    },
    async (request) => {
      const link = await linkOfToken(tokenOf(request))
      const { days = 30, tz = 'UTC', audience = 'all' } = request.query as Static<typeof statsQuery>
      if (!isTimeZone(tz))
        throw invalidRequest([{ pointer: '/tz', detail: 'must be an IANA time zone such as Europe/Berlin' }])
      const asked = now()
      const isSettled = await recorder.settle()
      const stats = await recorder.stats(link.id, { days, timeZone: tz, audience: audience as Audience })
      return { code: link.code, ...stats, ...(!isSettled && { as_of: new Date(asked).toISOString() }) }
    },
  )
}

function exportRoute(addRoute: AddOwnerRoute, { recorder, linkOfToken }: ScanDeps): void {
  addRoute(
    'scans.csv',
    {
      summary: 'Export the raw scans of a link',
      operationId: 'exportScans',
      description:
        'RFC 4180, oldest first; cells that a spreadsheet would take for a formula get an apostrophe in front.',
      tags: ['Statistics'],
      response: {
        200: { description: 'The scans.', content: { 'text/csv': { schema: Type.String() } } },
        ...problems('unknown_token'),
      },
    },
    async (request, reply) => {
      const link = await linkOfToken(tokenOf(request))
      await recorder.settle()
      reply.headers({
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': `attachment; filename="${link.code}-scans.csv"`,
        'x-content-type-options': 'nosniff',
      })
      return reply.send(Readable.from(pages(recorder, link.id)))
    },
  )
}

/** One page is read when the one before has been taken: memory stays the same however many scans there are. */
async function* pages(recorder: Recorder, linkId: number): AsyncGenerator<string> {
  yield csvHeader
  for (let after: { at: number; n: number } | undefined = { at: 0, n: 0 }; after !== undefined;) {
    const { csv, next } = await recorder.page(linkId, after, PAGE_ROWS)
    if (csv !== '') yield csv
    after = next
  }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}
