import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from '#typebox'
import { whileConnected } from '../../http/client-disconnect.ts'
import { problems } from '../../http/problem-schema.ts'
import { sends } from '../../http/response-headers.ts'
import { ownerRoutes, credentialOf, type ManageRequest, type OwnerRoutes } from '../../links/api/owner-routes.ts'
import type { Slot, Slots } from '../../limits/slots.ts'
import type { Waiter } from '../../lib/turns.ts'
import { asOfResponse, type AsOf } from '../statistics/as-of.ts'
import { headOf, type Exported, type ExportName, type Page } from '../statistics/export.ts'
import type { Cursor } from '../statistics/row-queries.ts'
import type { CampaignParameter, ReadableLink, ScansAccess } from '../access.ts'
import type { Scans } from '../open.ts'
import { queryOf, requireRetained, type StatsParameters } from './query.ts'
import { statsBody, statsQuery } from './schemas.ts'
import type { Stats } from '../statistics/stats.ts'

/** Reads the statistics of one link at a time. */
export interface StatsSources {
  scans: Pick<Scans, 'oldestUnfolded' | 'stats' | 'retention'>
  slots: Pick<Slots, 'stats'>
  now: () => number
}

/** What statistics need of the rest of the program. */
export interface StatsNeeds extends StatsSources {
  access: ScansAccess
}

/** What the export needs of the rest of the program. */
export interface ExportNeeds {
  scans: Pick<Scans, 'foldedAsOf' | 'page' | 'missing'>
  access: ScansAccess
  slots: Pick<Slots, 'exports'>
}

/**
 * Rows of a page of the export, some 20 KB: an export buffers two pages while its client does not read. Between any two
 * statements of a fold in PostgreSQL, the thread may write a page, and who reads or changes a link waits for folds.
 */
const PAGE_ROWS = 200

/** Reads a page of a table. */
export type ReadPage = (after: Cursor) => Promise<Page>

/** Reads pages of a table for a request. */
export function pageReader({ page }: Pick<Scans, 'page'>, slot: Slot, exported: Exported): ReadPage {
  return (after) => {
    slot.advance()
    return page(slot, exported, after, PAGE_ROWS)
  }
}

/** Returns the statistics of a link: `GET /api/manage/<token>/stats` */
export function statsRoutes({ access, ...reading }: StatsNeeds): OwnerRoutes {
  const definition = {
    config: { work: 'statistics' } as const,
    schema: {
      ...access.stats,
      tags: ['Statistics'],
      querystring: Type.Object({ ...statsQuery.properties, ...access.ofMany?.query }),
      response: {
        200: { description: 'The statistics.', content: { 'application/json': { schema: bodyOf(access) } } },
        ...problems('unknown_token', 'beyond_retention', ...access.refusals),
      },
    },
    async handler(request: ManageRequest) {
      const parameters = request.query as StatsParameters
      const found = await access.findWithStats(credentialOf(request), parameters)
      if ('readStats' in found) return found.readStats(request)
      const { id, code, destinations } = found
      const stats = await readLatestStats(reading, request, id, parameters)
      return { code, ...(destinations && { destinations }), ...stats }
    },
  }
  return ownerRoutes(definition, access.token)
}

const bodyOf = ({ ofMany }: ScansAccess) =>
  ofMany === undefined ? statsBody : Type.Unsafe({ anyOf: [statsBody, ofMany.body] })

/**
 * Reads the statistics of a link, with all visits until now if the fold succeeds in time.
 * @throws {Problem} 400 for an invalid parameter, 503 when no slot is free
 */
export async function readLatestStats(
  { scans, slots, now }: StatsSources,
  request: Pick<FastifyRequest, 'raw'>,
  linkId: number,
  parameters: StatsParameters,
): Promise<Stats> {
  const receivedAt = now()
  const query = queryOf(parameters, receivedAt)
  requireRetained(query, receivedAt, scans.retention)
  const slot = slots.stats(request, linkId)
  try {
    const missing = await scans.oldestUnfolded()
    const stats = await whileConnected(request, (disconnected) =>
      scans.stats(waiterOf(slot, disconnected), linkId, query),
    )
    return { ...stats, ...asOfResponse(missing, stats.as_of) }
  } finally {
    slot.release()
  }
}

/** Who waits for statistics until the slot gives way, or the client disconnects. */
export function waiterOf({ holder, signal }: Slot, disconnected: AbortSignal): Waiter {
  return { holder, signal: AbortSignal.any([signal, disconnected]) }
}

/** The forms in which scans are exported, by the ending of their file. */
export const exportForms = {
  csv: {
    name: 'scans',
    type: 'text/csv; charset=utf-8; header=present',
    media: 'text/csv',
    about: 'RFC 4180, oldest first; a cell that a spreadsheet would execute as a formula gets an apostrophe in front.',
  },
  ndjson: {
    name: 'scansNdjson',
    type: 'application/x-ndjson',
    media: 'application/x-ndjson',
    about: 'A JSON object in each line, oldest first, with the columns of `scans.csv`; an unknown value is null.',
  },
} as const satisfies Record<string, { name: ExportName; type: string; media: string; about: string }>

/** Streams the raw scans of a link: `GET /api/manage/<token>/scans.csv`, and `scans.ndjson` */
export function exportRoutes({ scans, access, slots }: ExportNeeds, ending: keyof typeof exportForms): OwnerRoutes {
  const { media, about } = exportForms[ending]
  const definition = {
    config: { work: 'statistics' } as const,
    schema: {
      ...access.scans[ending],
      description: about,
      tags: ['Statistics'],
      ...(access.ofMany && { querystring: Type.Object(access.ofMany.query) }),
      response: {
        200: {
          description: 'The scans.',
          headers: sends('Content-Disposition', 'Quirl-As-Of', 'Quirl-Raw-Missing'),
          content: { [media]: { schema: Type.String() } },
        },
        ...problems('unknown_token', ...access.refusals),
      },
    },
    async handler(request: ManageRequest, reply: FastifyReply) {
      const found = await access.findWithScans(credentialOf(request), request.query as CampaignParameter)
      if ('sendScans' in found) return found.sendScans(request, reply, ending)
      return sendScans({ scans, slots }, request, reply, { link: found, ending })
    },
  }
  return ownerRoutes(definition, access.token)
}

interface Asked {
  link: ReadableLink
  ending: keyof typeof exportForms
}

/** Sends the raw scans of a link. @throws {Problem} 503 when no slot is free */
async function sendScans(
  { scans, slots }: Omit<ExportNeeds, 'access'>,
  request: ManageRequest,
  reply: FastifyReply,
  { link, ending }: Asked,
): Promise<FastifyReply> {
  const { name, type } = exportForms[ending]
  const headers = {
    'content-type': type,
    'content-disposition': `attachment; filename="${link.code}-scans.${ending}"`,
    'x-content-type-options': 'nosniff',
  }
  if (request.method === 'HEAD') return reply.headers(headers).send()
  const slot = slots.exports(request, link.id)
  const read = pageReader(scans, slot, { name, linkId: link.id })
  try {
    const asOf = await scans.foldedAsOf()
    // Read before the headers are sent: an error of the first page gets an error response.
    const body = holdSlot(textOf(pages(name, read, await read([]))), slot)
    return reply.headers({ ...headers, ...lackHeaders(asOf, await scans.missing(slot, [link.id])) }).send(body)
  } catch (error) {
    slot.release()
    throw error
  }
}

/**
 * Frees the slot of an export when its body closes, and destroys the body when the slot gives way.
 * @throws {Problem} 503 when it has given way
 */
export function holdSlot(body: Readable, { signal, release }: Slot): Readable {
  signal.throwIfAborted()
  // With the reason itself: the error that `addAbortSignal` makes of it would be an internal one, where no header is sent yet.
  const giveWay = () => void body.destroy(signal.reason as Error)
  signal.addEventListener('abort', giveWay)
  return body
    .once('error', () => {})
    .once('close', () => {
      signal.removeEventListener('abort', giveWay)
      release()
    })
}

/**
 * The headers that say what an export lacks.
 * @param missing scans that are counted and not stored one by one
 */
export function lackHeaders({ as_of: asOf }: AsOf, missing: number): Record<string, string> {
  return { 'quirl-raw-missing': String(missing), ...(asOf !== undefined && { 'quirl-as-of': asOf }) }
}

/** Streams text with one piece of read-ahead: memory stays bounded, however many pieces there are and however slow the client. */
export function textOf(pieces: AsyncIterable<string>): Readable {
  return Readable.from(pieces, { objectMode: false, highWaterMark: 1 })
}

/** The text of a table, whose first page was read before. */
export async function* pages(name: ExportName, read: ReadPage, first: Page): AsyncGenerator<string> {
  yield headOf(name) + first.text
  for (let after = first.next; after !== undefined;) {
    const { text, next } = await read(after)
    if (text !== '') yield text
    after = next
  }
}
