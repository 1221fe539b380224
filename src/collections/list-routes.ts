import { Type } from '#typebox'
import { problems } from '../http/problem-schema.ts'
import { addresses } from '../links/link.ts'
import { ownerRoutes, tokenOf, type OwnerRoutes } from '../links/api/owner-routes.ts'
import type { WriteNeeds } from '../links/api/write-needs.ts'
import { suspensionDetails } from '../links/details.ts'
import { asOfField, detailsBody } from '../links/schemas.ts'
import { listParameters, listQueryOf, writeCursor, type ListParameters } from './list-query.ts'
import type { ListedMember } from './listing.ts'
import type { Collections } from './open.ts'
import { COLLECTION_TOKEN } from './schemas.ts'
import { countingFor, type TotalsNeeds } from './totals.ts'

/** What the list of a collection's links needs of the rest of the program. */
export interface ListNeeds extends Pick<WriteNeeds, 'origin'>, TotalsNeeds {
  collections: Pick<Collections, 'find' | 'list'>
}

const { code, kind, title, campaign, short_url: shortUrl, target, active } = detailsBody.properties
const { created_at: createdAt, updated_at: updatedAt, removed, totals } = detailsBody.properties
const { scans, humans, last_scan_at: lastScanAt } = totals.properties

/** A page of links. */
const listBody = Type.Object(
  {
    links: Type.Array(
      Type.Object(
        {
          code,
          kind,
          title,
          campaign,
          short_url: shortUrl,
          target,
          active,
          created_at: createdAt,
          updated_at: updatedAt,
          removed,
          totals: Type.Object({
            scans,
            humans,
            last_scan_at: lastScanAt,
          }),
        },
        { title: 'LinkOfCollection' },
      ),
    ),
    next: Type.Unsafe<string | null>({
      anyOf: [Type.String(), { type: 'null' }],
      description: 'The `cursor` of the next page; null at the end.',
    }),
    as_of: Type.Optional(asOfField),
  },
  { title: 'LinksOfCollection' },
)

/** Lists the links of a collection: `GET /api/collections/<token>/links` */
export function listRoutes(needs: ListNeeds): OwnerRoutes {
  const { collections, origin } = needs
  return ownerRoutes(
    {
      config: { work: 'pages' },
      schema: {
        summary: 'List the links of a collection',
        operationId: 'listCollection',
        tags: ['Collections'],
        querystring: listParameters,
        response: {
          200: { description: 'Links of the collection.', content: { 'application/json': { schema: listBody } } },
          ...problems('collection_not_found'),
        },
      },
      async handler(request) {
        const collection = await collections.find(tokenOf(request))
        const { id } = collection
        const query = listQueryOf(request.query as ListParameters, id)
        const { links, next, ...asOf } = await collections.list(collection, query, countingFor(needs, request))
        return {
          links: links.map(viewOf(origin.of(request))),
          next: next === undefined ? null : writeCursor(next, query, id),
          ...asOf,
        }
      },
    },
    COLLECTION_TOKEN,
  )
}

const viewOf = (origin: string) => (link: ListedMember) => ({
  code: link.code,
  kind: link.kind,
  title: link.title,
  campaign: link.campaign,
  short_url: addresses(link.code, origin).short_url,
  target: link.target,
  active: link.active === 1,
  created_at: new Date(link.createdAt).toISOString(),
  updated_at: new Date(link.updatedAt).toISOString(),
  removed: link.suspension && suspensionDetails(link.suspension),
  totals: link.totals,
})
