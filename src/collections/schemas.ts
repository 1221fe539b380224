import { Type } from '#typebox'
import { text } from '../http/fields.ts'
import { failedRow, rowIndex } from '../links/api/bulk-schemas.ts'
import { asOfField } from '../links/schemas.ts'
import { MAX_ROWS } from '../links/bulk/bulk.ts'
import { MAX_LINKS } from './bounds.ts'

const name = text(100, 'For the owner; visitors of the links never see it.')
const nameOrNull = Type.Unsafe<string | null>({ anyOf: [name, { type: 'null' }] })

/** A new collection. */
export const collectionBody = Type.Object(
  { name: Type.Optional(name) },
  { title: 'NewCollection', examples: [{ name: 'Summer' }] },
)

/** What can be changed of a collection: an absent field stays, null clears. */
export const collectionUpdate = Type.Object(
  { name: Type.Optional(nameOrNull) },
  { title: 'CollectionUpdate', examples: [{ name: 'Summer 2027' }] },
)

const fields = {
  name: nameOrNull,
  created_at: Type.String({ format: 'date-time', description: 'When the collection was created, UTC.' }),
}

/** The response to the creation of a collection. */
export const createdCollectionBody = Type.Object(
  {
    token: Type.String({
      description: 'The key to the collection and to every link in it. Only this response has it.',
    }),
    ...fields,
  },
  { title: 'CreatedCollection' },
)

/** A collection. */
export const collectionDetails = Type.Object(
  {
    ...fields,
    links: Type.Integer({ minimum: 0, maximum: MAX_LINKS, description: 'How many links are in it.' }),
    totals: Type.Object(
      {
        scans: Type.Integer({ minimum: 0, description: 'Recorded visits of its links since their creation.' }),
        humans: Type.Integer({ minimum: 0, description: 'Those by people.' }),
        last_scan_at: Type.Unsafe<string | null>({
          anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }],
          description: 'When a link was last visited, UTC; null without visits.',
        }),
      },
      { title: 'BriefTotals' },
    ),
    as_of: Type.Optional(asOfField),
  },
  { title: 'Collection' },
)

/** Links that join. */
export const joinBody = Type.Object(
  {
    tokens: Type.Array(Type.String({ description: 'The token of a link.' }), {
      minItems: 1,
      maxItems: MAX_ROWS,
    }),
  },
  { title: 'JoiningLinks', examples: [{ tokens: ['…'] }] },
)

/** What became of links that were to join. */
export const joinedBody = Type.Object(
  {
    added: Type.Integer({ minimum: 0, description: 'Links that were not in the collection before.' }),
    failed: Type.Integer({ minimum: 0, description: 'Tokens with an error.' }),
    results: Type.Array(
      Type.Unsafe({
        anyOf: [
          Type.Object(
            {
              index: rowIndex,
              code: Type.String({ description: "The link's code." }),
              added: Type.Boolean({ description: 'False when the link was in the collection before.' }),
            },
            { title: 'JoinedRow' },
          ),
          failedRow,
        ],
      }),
    ),
  },
  { title: 'JoinResult' },
)

export const endedBody = Type.Object({ deleted: Type.Literal(true) }, { title: 'EndedCollection' })

export const leftBody = Type.Object(
  { removed: Type.Literal(true), code: Type.String({ description: 'As in the path.' }) },
  { title: 'LeftCollection' },
)
