import { Type } from '#typebox'
import type { FastifyReply } from 'fastify'
import { problems } from '../http/problem-schema.ts'
import { ignoreColumns } from '../http/unknown-input.ts'
import {
  changeOptions,
  changeRows,
  changesBody,
  changesQuery,
  changesResponses,
} from '../links/api/change-many-routes.ts'
import { ROWS_BODY_LIMIT } from '../links/api/bulk-routes.ts'
import { CsvBody, warnOfEncoding } from '../links/api/csv-body.ts'
import { ownerRoutes, tokenOf, type ManageRequest, type OwnerRoutes } from '../links/api/owner-routes.ts'
import { clientOf, type WriteNeeds } from '../links/api/write-needs.ts'
import type { Collections } from './open.ts'
import { COLLECTION_TOKEN } from './schemas.ts'
import { changeBySheet } from './spreadsheet/change-by-sheet.ts'
import { columns } from './spreadsheet/columns.ts'
import { readSheet } from './spreadsheet/read-sheet.ts'
import { MAX_LINKS } from './bounds.ts'

/** What changes of a collection's links need of the rest of the program. */
export interface CollectionChangesNeeds extends WriteNeeds {
  collections: Pick<Collections, 'find' | 'sheetLinksOf'>
}

const rows = changesBody(
  { code: Type.String({ description: 'The code of the link, in any case; each link may occur once.' }) },
  ['CollectionChangeRow', 'CollectionChanges'],
  { code: 'k7dw3nq' },
)

const csv = Type.String({
  description: `A file from \`links.csv\`, as it was or as a spreadsheet has saved it: a header with \`code\` and what is to change, then up to ${MAX_LINKS} rows.`,
  examples: ['code,title,campaign\nmenu,Menu at the door,Spring\n'],
})
const body = { content: { 'application/json': { schema: rows }, 'text/csv': { schema: csv } } }

const failures = problems('nothing_changed', 'malformed_csv', 'collection_not_found')

/** Changes links of a collection: `POST /api/collections/<token>/changes` */
export function collectionChangesRoutes(needs: CollectionChangesNeeds): OwnerRoutes {
  const { collections } = needs
  const routes = ownerRoutes(
    {
      config: { work: 'batches', isCharged: true },
      bodyLimit: ROWS_BODY_LIMIT,
      schema: {
        summary: 'Change links of a collection',
        operationId: 'changeCollectionLinks',
        description:
          'As `POST /api/manage`, but each row has the `code` of a link in the collection in place of a token, and may name the looks of ' +
          'the collection. CSV from `links.csv` changes the links that its rows differ from, a hundred in a transaction; only these are charged.',
        tags: ['Collections'],
        querystring: changesQuery,
        body,
        response: {
          ...failures,
          ...changesResponses,
          400: { ...failures[400], content: changesResponses[400].content },
        },
      },
      // A wrong token gets its response before the body is read.
      onRequest: async (request) => void (await collections.find(tokenOf(request))),
      handler: (request, reply) =>
        request.body instanceof CsvBody
          ? changeByCsv(needs, request, reply, request.body)
          : changeRows(needs, request, reply, tokenOf(request)),
    },
    COLLECTION_TOKEN,
  )
  // The document would have its responses twice.
  return { ...routes, byHeader: { ...routes.byHeader, schema: { ...routes.byHeader.schema, hide: true } } }
}

async function changeByCsv(
  needs: CollectionChangesNeeds,
  request: ManageRequest,
  reply: FastifyReply,
  { text }: CsvBody,
): Promise<object> {
  const token = tokenOf(request)
  const collection = await needs.collections.find(token)
  const cells = await readSheet(text, (names) => ignoreColumns(request, names, [...columns]))
  warnOfEncoding(request, reply)
  const { links, collections } = needs
  const options = changeOptions(needs, request, reply, token)
  return changeBySheet({ links, collections, client: clientOf(needs, request, reply), options }, collection, cells)
}
