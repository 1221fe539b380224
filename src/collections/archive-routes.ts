import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type, type Static } from '#typebox'
import { disconnectSignal } from '../http/client-disconnect.ts'
import type { Origin } from '../http/origin.ts'
import { problems } from '../http/problem-schema.ts'
import { invalidRequest, REASON } from '../http/problem.ts'
import { sends } from '../http/response-headers.ts'
import { zipOf } from '../http/zip.ts'
import type { Slots } from '../limits/slots.ts'
import { archiveQuery, readArchiveQuery } from '../links/api/archive-query.ts'
import { ownerRoutes, tokenOf, type OwnerRoutes } from '../links/api/owner-routes.ts'
import { MAX_ROWS } from '../links/bulk/bulk.ts'
import { writeManifest } from '../links/bulk/bulk-csv.ts'
import { IMAGE_BYTES, imagesOf, zipHeaders } from '../links/bulk/bulk-files.ts'
import type { DrawCodeFile } from '../links/bulk/code-file.ts'
import type { ClientLimits } from '../links/client.ts'
import { addresses } from '../links/link.ts'
import { holdSlot } from '../scans/api/routes.ts'
import { MAX_LINKS } from './bounds.ts'
import { campaignOf, campaignQuery } from './campaign-query.ts'
import type { MemberConditions } from './listing-store.ts'
import type { Collections } from './open.ts'
import { beyond, startOfPart } from './part.ts'
import { COLLECTION_TOKEN } from './schemas.ts'
import type { SheetLink } from './sheet-store.ts'
import type { Collection } from './store.ts'

/** What archives of codes need of the rest of the program. */
export interface ArchiveNeeds {
  collections: Pick<Collections, 'find' | 'membersAfter' | 'sheetAfter'>
  drawCodeFile: DrawCodeFile
  /** Resolves when the next file of an archive may be drawn. */
  turnToRender: (request: Pick<FastifyRequest, 'raw'>) => Promise<void>
  slots: Pick<Slots, 'exports'>
  limits: Pick<ClientLimits, 'charge' | 'holderOf'>
  origin: Origin
}

/** Codes that count as one image, as many as of a check. */
const CODES_PER_UNIT = 10
/** Links of one statement. */
const PAGE = 100
/** Bytes of a link in memory while its archive is sent: a title and a target. */
const LINK_BYTES = 2 * 2300

/** Parts of the largest collection. */
export const MAX_PARTS = Math.ceil(MAX_LINKS / MAX_ROWS)

const query = Type.Object({
  ...archiveQuery,
  ...campaignQuery,
  part: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PARTS,
      default: 1,
      description: `Which ${MAX_ROWS} of the links, in the order of their creation.`,
    }),
  ),
})

/** What an archive is to have. */
export type CodesQuery = Static<typeof query>

/** Sends the images of the codes of a collection: `GET /api/collections/<token>/codes.zip` */
export function archiveRoutes(needs: ArchiveNeeds): OwnerRoutes {
  return ownerRoutes(
    {
      config: { work: 'images', isCharged: true },
      schema: {
        summary: 'Export the QR images of a collection',
        operationId: 'exportCollectionCodes',
        description:
          `A ZIP with an image of each code, with the design of its link, and \`manifest.csv\`, which says which file is of which link, and ` +
          `why one has none. It has up to ${MAX_ROWS} links; \`part\` chooses further ones. Ten codes count as one image.`,
        tags: ['Collections'],
        querystring: query,
        response: {
          200: {
            description: 'The archive.',
            headers: sends('Content-Disposition'),
            content: { 'application/zip': { schema: Type.Unsafe({ type: 'string', format: 'binary' }) } },
          },
          ...problems('collection_not_found'),
        },
      },
      async handler(request, reply) {
        const collection = await needs.collections.find(tokenOf(request))
        return sendCodesOf(needs, { request, reply }, collection, request.query as CodesQuery)
      },
    },
    COLLECTION_TOKEN,
  )
}

/** @throws {Problem} 400 for what the collection does not have, 429, 503 when no slot is free */
export async function sendCodesOf(
  { collections, drawCodeFile, turnToRender, slots, limits, origin }: ArchiveNeeds,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  collection: Pick<Collection, 'id'>,
  asked: CodesQuery,
): Promise<FastifyReply> {
  const { image, names } = readArchiveQuery(asked)
  const { part = 1, campaign } = asked
  const headers = zipHeaders(part === 1 ? 'codes' : `codes-${part}`)
  if (request.method === 'HEAD') return reply.headers(headers).send()
  const turn = () => turnToRender(request)
  // Before links are read: requests that get 429 must not have thousands of them read.
  await limits.charge(request, reply, 'qr', 1)
  const links = await linksOf({ ...collections, turn }, collection.id, { part, campaign: campaignOf(campaign) })
  const more = Math.ceil(links.length / CODES_PER_UNIT) - 1
  if (more > 0) await limits.charge(request, reply, 'qr', more)
  const slot = slots.exports(request, collection.id)
  const from = origin.of(request)
  const waiting = { holder: limits.holderOf(request), signal: disconnectSignal(reply) }
  const files = imagesOf(
    links.map(({ code, title }) => ({ code, title: title ?? undefined, hasDesign: true })),
    {
      names,
      ending: image.format,
      turn,
      async draw(file) {
        slot.advance()
        return drawCodeFile({ ...file, origin: from }, image, waiting)
      },
    },
    (lines) => writeManifest(links, manifestOf(links, from), lines),
  )
  reply.streamBytes = links.length * LINK_BYTES + IMAGE_BYTES
  return reply.headers(headers).send(holdSlot(zipOf(files), slot))
}

function manifestOf(links: SheetLink[], origin: string) {
  return links.map(({ code }, index) => ({ index, code, short_url: addresses(code, origin).short_url }))
}

/** The links of a part. @throws {Problem} 400 when it has none */
async function linksOf(
  reading: Pick<Collections, 'membersAfter' | 'sheetAfter'> & { turn: () => Promise<void> },
  collectionId: string,
  { part, ...conditions }: { part: number } & MemberConditions,
): Promise<SheetLink[]> {
  const after = await startOfPart(reading, { collectionId, part, size: MAX_ROWS }, conditions)
  const links: SheetLink[] = []
  while (links.length < MAX_ROWS) {
    await reading.turn()
    const page = await reading.sheetAfter({ collectionId, after: links.at(-1)?.id ?? after, limit: PAGE }, conditions)
    links.push(...page)
    if (page.length < PAGE) break
  }
  if (links.length > 0) return links
  if (part > 1) throw beyond(part - 1)
  throw invalidRequest([
    { pointer: '/campaign', detail: 'has no links in this collection', [REASON]: { name: 'no_links' } },
  ])
}
