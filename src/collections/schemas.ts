import { Type } from '#typebox'
import { text } from '../http/fields.ts'
import { failedRow, rowIndex } from '../links/api/bulk-schemas.ts'
import { MAX_ROWS } from '../links/bulk/bulk.ts'
import { MAX_LINKS, MAX_LOOKS } from './bounds.ts'

const name = text(100, 'For the owner; visitors of the links never see it.')
const nameOrNull = Type.Unsafe<string | null>({ anyOf: [name, { type: 'null' }] })

/** A new collection. */
export const collectionBody = Type.Object(
  { name: Type.Optional(name) },
  { title: 'NewCollection', examples: [{ name: 'Summer' }] },
)

const design = Type.Object({}, { additionalProperties: true, description: '`design` of `POST /api/qr`.' })

/** What can be changed of a collection: an absent field stays, null clears. */
export const collectionUpdate = Type.Object(
  {
    name: Type.Optional(nameOrNull),
    looks: Type.Optional(
      Type.Unsafe<object>({
        type: 'object',
        additionalProperties: { anyOf: [design, { type: 'null' }] },
        description: `Designs by name, merged with those of the collection, which has at most ${MAX_LOOKS}; null removes one. No link changes with them.`,
      }),
    ),
  },
  { title: 'CollectionUpdate', examples: [{ name: 'Summer 2027', looks: { blue: { fg: '#123456', shape: 'dots' } } }] },
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
    looks: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: design,
      description: 'Designs by name, for links that name one.',
    }),
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
