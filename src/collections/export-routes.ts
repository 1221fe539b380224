import { Type, type Static } from '#typebox'
import type { FastifyReply } from 'fastify'
import { problems } from '../http/problem-schema.ts'
import { sends } from '../http/response-headers.ts'
import type { Slot, Slots } from '../limits/slots.ts'
import { ownerRoutes, tokenOf, type ManageRequest, type OwnerRoutes } from '../links/api/owner-routes.ts'
import { exportForms, holdSlot, lackHeaders, pageReader, textOf, type ReadPage } from '../scans/api/routes.ts'
import type { Scans } from '../scans/open.ts'
import { headOf, type ExportName, type Page } from '../scans/statistics/export.ts'
import type { Cursor } from '../scans/statistics/row-queries.ts'
import type { MemberKey } from './listing-store.ts'
import type { Collections } from './open.ts'
import { campaignOf, campaignQuery } from './campaign-query.ts'
import { COLLECTION_TOKEN } from './schemas.ts'
import type { Collection } from './store.ts'

/** What exports of collections need of the rest of the program. */
export interface CollectionExportNeeds {
  collections: Pick<Collections, 'find' | 'membersAfter'>
  scans: Pick<Scans, 'foldedAsOf' | 'page' | 'missing' | 'totalsOf'>
  slots: Pick<Slots, 'exports'>
}

const exportQuery = Type.Object(campaignQuery)

const operations = {
  csv: { summary: 'Export the raw scans of a collection', operationId: 'exportCollectionScans' },
  ndjson: {
    summary: 'Export the raw scans of a collection as JSON lines',
    operationId: 'exportCollectionScansNdjson',
  },
}

/** Streams the raw scans of a collection, or of a campaign in it: `GET /api/collections/<token>/scans.csv`, and `scans.ndjson` */
export function collectionExportRoutes(needs: CollectionExportNeeds, ending: keyof typeof exportForms): OwnerRoutes {
  const { media, about } = exportForms[ending]
  return ownerRoutes(
    {
      config: { work: 'statistics' },
      schema: {
        ...operations[ending],
        description: `As that of a link, with a first column \`code\`, and link by link: ${about}`,
        tags: ['Collections'],
        querystring: exportQuery,
        response: {
          200: {
            description: 'The scans.',
            headers: sends('Content-Disposition', 'Quirl-As-Of', 'Quirl-Raw-Missing'),
            content: { [media]: { schema: Type.String() } },
          },
          ...problems('collection_not_found'),
        },
      },
      async handler(request, reply) {
        const collection = await needs.collections.find(tokenOf(request))
        const { campaign } = request.query as Static<typeof exportQuery>
        return sendScansOf(needs, request, reply, { collection, campaign, ending })
      },
    },
    COLLECTION_TOKEN,
  )
}

interface Asked {
  collection: Pick<Collection, 'id'>
  /** Of the links whose scans are sent, as requests name it; undefined for all links. */
  campaign: string | undefined
  ending: keyof typeof exportForms
}

/** Sends the raw scans of the links of a collection. @throws {Problem} 503 when no slot is free */
export async function sendScansOf(
  { collections, scans, slots }: CollectionExportNeeds,
  request: ManageRequest,
  reply: FastifyReply,
  { collection, campaign: asked, ending }: Asked,
): Promise<FastifyReply> {
  const headers = {
    'content-type': exportForms[ending].type,
    'content-disposition': `attachment; filename="collection-scans.${ending}"`,
    'x-content-type-options': 'nosniff',
  }
  if (request.method === 'HEAD') return reply.headers(headers).send()
  const campaign = campaignOf(asked)
  const slot = slots.exports(request, collection.id)
  try {
    const asOf = await scans.foldedAsOf()
    const membersAfter: MembersAfter = (after) =>
      collections.membersAfter({ collectionId: collection.id, after, limit: PAGE }, { campaign })
    const lacks = lackHeaders(asOf, await missingOf(scans, slot, membersAfter))
    const pieces = scansOf({ scans, slot, membersAfter, name: exportForms[ending].name })
    // Read before the headers are sent: an error of the first page gets an error response.
    const first = await pieces.next()
    const body = holdSlot(textOf(after(first, pieces)), slot)
    return reply.headers({ ...headers, ...lacks }).send(body)
  } catch (error) {
    slot.release()
    throw error
  }
}

/** Links of one statement: those whose scans are not sent yet may leave meanwhile. */
const PAGE = 500

type MembersAfter = (linkId: number) => Promise<MemberKey[]>

/** The links of a collection, page by page. */
async function* memberPages(membersAfter: MembersAfter): AsyncGenerator<MemberKey[]> {
  for (let page = await membersAfter(0); page.length > 0; page = await membersAfter(page.at(-1)?.id ?? 0)) {
    yield page
    if (page.length < PAGE) return
  }
}

interface Export {
  scans: Pick<Scans, 'page' | 'totalsOf'>
  slot: Slot
  membersAfter: MembersAfter
  name: ExportName
}

/** The text of the table, link by link; memory holds one page of links and one of rows. */
async function* scansOf({ scans, slot, membersAfter, name }: Export): AsyncGenerator<string> {
  yield headOf(name, true)
  for await (const members of memberPages(membersAfter)) {
    const totals = await scans.totalsOf(
      slot,
      members.map(({ id }) => id),
    )
    const visited = members.filter((_, at) => totals[at]?.scans !== 0)
    for (const { id, code } of visited) yield* rowsOf(pageReader(scans, slot, { name, linkId: id, code }))
  }
}

/** The rows of a link. */
async function* rowsOf(read: ReadPage): AsyncGenerator<string> {
  for (let next: Cursor | undefined = []; next !== undefined;) {
    const page: Page = await read(next)
    if (page.text !== '') yield page.text
    next = page.next
  }
}

async function* after(first: IteratorResult<string, unknown>, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done !== true) yield first.value
  yield* rest
}

/** How many scans are counted and not stored one by one. */
async function missingOf(scans: Pick<Scans, 'missing'>, slot: Slot, membersAfter: MembersAfter): Promise<number> {
  let missing = 0
  for await (const members of memberPages(membersAfter))
    missing += await scans.missing(
      slot,
      members.map(({ id }) => id),
    )
  return missing
}
