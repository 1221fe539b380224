import type { Readable } from 'node:stream'
import { Type, type Static } from '#typebox'
import { problems } from '../../http/problem-schema.ts'
import { sends } from '../../http/response-headers.ts'
import type { Origin } from '../../http/origin.ts'
import { writeRecords } from '../../lib/csv.ts'
import type { Limits } from '../../limits/open.ts'
import type { Slot, Slots } from '../../limits/slots.ts'
import { ownerRoutes, tokenOf, type OwnerRoutes } from '../../links/api/owner-routes.ts'
import { addresses } from '../../links/link.ts'
import { holdSlot, textOf } from '../../scans/api/routes.ts'
import { campaignOf, campaignQuery } from '../campaign-query.ts'
import type { Collections } from '../open.ts'
import { COLLECTION_TOKEN } from '../schemas.ts'
import { columns, valuesOf } from './columns.ts'
import type { SheetLink } from '../sheet-store.ts'

/** What the spreadsheet of a collection needs of the rest of the program. */
export interface SheetNeeds {
  collections: Pick<Collections, 'find' | 'sheetAfter'>
  slots: Pick<Slots, 'exports'>
  turnToRender: Limits['turnToRender']
  origin: Origin
}

const sheetQuery = Type.Object(campaignQuery)

const headers = {
  'content-type': 'text/csv; charset=utf-8; header=present',
  'content-disposition': 'attachment; filename="links.csv"',
  'x-content-type-options': 'nosniff',
}

/** Streams the links of a collection, or of a campaign in it, for a spreadsheet: `GET /api/collections/<token>/links.csv` */
export function sheetRoutes({ collections, slots, turnToRender, origin }: SheetNeeds): OwnerRoutes {
  return ownerRoutes(
    {
      config: { work: 'statistics' },
      schema: {
        summary: 'Export the links of a collection for a spreadsheet',
        operationId: 'exportCollectionLinks',
        description:
          'Each link is a row of what can be changed, for `POST …/changes` with `text/csv`. RFC 4180 with a byte order mark; a cell that a ' +
          'spreadsheet would execute as a formula gets an apostrophe in front.',
        tags: ['Collections'],
        querystring: sheetQuery,
        response: {
          200: {
            description: 'The links.',
            headers: sends('Content-Disposition'),
            content: { 'text/csv': { schema: Type.String() } },
          },
          ...problems('collection_not_found'),
        },
      },
      async handler(request, reply) {
        const { id } = await collections.find(tokenOf(request))
        if (request.method === 'HEAD') return reply.headers(headers).send()
        const campaign = campaignOf((request.query as Static<typeof sheetQuery>).campaign)
        const slot = slots.exports(request, id)
        const pageAfter: PageAfter = async (after) => {
          await turnToRender(request)
          return collections.sheetAfter({ collectionId: id, after, limit: PAGE }, { campaign })
        }
        return reply.headers(headers).send(await open(slot, pageAfter, origin.of(request)))
      },
    },
    COLLECTION_TOKEN,
  )
}

/** Links of one statement, some 30 KB of text and at most 200: nothing else makes a reader who is quick wait. */
const PAGE = 100

type PageAfter = (linkId: number) => Promise<SheetLink[]>

async function open(slot: Slot, pageAfter: PageAfter, origin: string): Promise<Readable> {
  try {
    // Read before the headers are sent: an error of the first page gets an error response.
    const first = await pageAfter(0)
    return holdSlot(textOf(pieces(slot, pageAfter, { first, origin })), slot)
  } catch (error) {
    slot.release()
    throw error
  }
}

/** The text of the file, page by page; it begins with the mark by which spreadsheets know UTF-8. */
async function* pieces(
  slot: Slot,
  pageAfter: PageAfter,
  { first, origin }: { first: SheetLink[]; origin: string },
): AsyncGenerator<string> {
  yield `\uFEFF${writeRecords([columns])}`
  for (let page = first; page.length > 0; page = page.length < PAGE ? [] : await pageAfter(page.at(-1)?.id ?? 0)) {
    slot.advance()
    yield writeRecords(page.map((link) => recordOf(link, origin)))
  }
}

function recordOf(link: SheetLink, origin: string): string[] {
  const values = valuesOf(link, addresses(link.code, origin).short_url)
  return columns.map((column) => values[column])
}
