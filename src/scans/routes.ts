import { Readable } from 'node:stream'
import { Type, type Static } from '#typebox'
import { invalidRequest } from '../http/problem.ts'
import { problems } from '../http/problem-schema.ts'
import { ownerRoutes, tokenOf, type OwnerRoutes } from '../links/access.ts'
import type { Links } from '../links/open.ts'
import type { Slots } from '../limits/slots.ts'
import { csvHeader, type Cursor, type Page } from './export.ts'
import type { Scans } from './open.ts'
import { statsBody, statsQuery } from './schemas.ts'
import type { Audience } from './breakdowns.ts'

/** What statistics need of the rest of the program. */
export interface StatsNeeds {
  scans: Pick<Scans, 'settle' | 'stats'>
  links: Pick<Links, 'findByToken'>
  slots: Pick<Slots, 'stats'>
  now: () => number
}

/** What the export needs of the rest of the program. */
export interface ExportNeeds {
  scans: Pick<Scans, 'settle' | 'page'>
  links: Pick<Links, 'findByToken'>
  slots: Pick<Slots, 'exports'>
}

/** Rows of a page of the export, some 200 KB: an export buffers two pages while its client does not read. */
const PAGE_ROWS = 2000

/** Returns the statistics of a link: `GET /api/manage/<token>/stats` */
export function statsRoutes({ scans, links, slots, now }: StatsNeeds): OwnerRoutes {
  return ownerRoutes({
    config: { work: 'statistics' },
    schema: {
      summary: 'Read the statistics of a link',
      operationId: 'readStats',
      tags: ['Statistics'],
      querystring: statsQuery,
      response: {
        200: { description: 'The statistics.', content: { 'application/json': { schema: statsBody } } },
        ...problems('invalid_request', 'unknown_token', 'rate_limited'),
      },
    },
    async handler(request) {
      const link = await links.findByToken(tokenOf(request))
      const { days = 30, tz = 'UTC', audience = 'all' } = request.query as Static<typeof statsQuery>
      if (!isTimeZone(tz))
        throw invalidRequest([{ pointer: '/tz', detail: 'must be an IANA time zone such as Europe/Berlin' }])
      const { client, release } = slots.stats(request)
      try {
        const receivedAt = now()
        const isSettled = await scans.settle()
        const stats = await scans.stats(client, link.id, { days, timeZone: tz, audience: audience as Audience })
        return { code: link.code, ...stats, ...(!isSettled && { as_of: new Date(receivedAt).toISOString() }) }
      } finally {
        release()
      }
    },
  })
}

/** Streams the raw scans of a link as CSV: `GET /api/manage/<token>/scans.csv` */
export function exportRoutes({ scans, links, slots }: ExportNeeds): OwnerRoutes {
  return ownerRoutes({
    config: { work: 'statistics' },
    schema: {
      summary: 'Export the raw scans of a link',
      operationId: 'exportScans',
      description:
        'RFC 4180, oldest first; a cell that a spreadsheet would execute as a formula gets an apostrophe in front.',
      tags: ['Statistics'],
      response: {
        200: { description: 'The scans.', content: { 'text/csv': { schema: Type.String() } } },
        ...problems('unknown_token', 'rate_limited'),
      },
    },
    async handler(request, reply) {
      const link = await links.findByToken(tokenOf(request))
      const headers = {
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': `attachment; filename="${link.code}-scans.csv"`,
        'x-content-type-options': 'nosniff',
      }
      if (request.method === 'HEAD') return reply.headers(headers).send()
      const { client, release } = slots.exports(request)
      const read = (after: Cursor) => scans.page(client, link.id, after, PAGE_ROWS)
      try {
        await scans.settle()
        // Read before the headers are sent: an error of the first page gets an error response.
        const body = textOf(pages(read, await read({ at: 0, n: 0 })))
        body.once('close', release)
        return reply.headers(headers).send(body)
      } catch (error) {
        release()
        throw error
      }
    },
  })
}

/** Streams text with one piece of read-ahead: memory stays bounded, however many pieces there are and however slow the client. */
export function textOf(pieces: AsyncIterable<string>): Readable {
  return Readable.from(pieces, { objectMode: false, highWaterMark: 1 })
}

async function* pages(read: (after: Cursor) => Promise<Page>, first: Page): AsyncGenerator<string> {
  yield csvHeader + first.csv
  for (let after = first.next; after !== undefined;) {
    const { csv, next } = await read(after)
    if (csv !== '') yield csv
    after = next
  }
}

function isTimeZone(name: string): boolean {
  // The default; creating a DateTimeFormat is the most expensive part of a request.
  if (name === 'UTC') return true
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}
