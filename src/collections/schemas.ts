import { Type } from '#typebox'
import { text } from '../http/fields.ts'
import { failedRow, rowIndex } from '../links/api/bulk-schemas.ts'
import { MAX_ROWS } from '../links/bulk/bulk.ts'
import { asOfField, detailsBody } from '../links/schemas.ts'
import { webhookDetails, webhookField, type WebhookDetails } from '../links/webhook.ts'
import { MAX_LINKS, MAX_LOOKS } from './bounds.ts'
import { MAX_CAMPAIGNS } from './overview.ts'

const name = text(100, 'For the owner, and on reports that he shares; visitors of the links never see it.')
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
    webhook: Type.Optional(
      Type.Unsafe<object | null>({
        anyOf: [webhookField, { type: 'null' }],
        description: 'Where the events of all its links are sent; null removes it.',
      }),
    ),
  },
  { title: 'CollectionUpdate', examples: [{ name: 'Summer 2027', looks: { blue: { fg: '#123456', shape: 'dots' } } }] },
)

const fields = {
  name: nameOrNull,
  created_at: Type.String({ format: 'date-time', description: 'When the collection was created, UTC.' }),
}

/** What the token in a path is. */
export const COLLECTION_TOKEN = 'The token from the creation of the collection.'

const keys = {
  token: Type.String({
    description: 'The key to the collection and to every link in it. Only this response has it.',
  }),
  manage_url: Type.String({
    format: 'uri',
    description: "The collection's page. Anyone who has this URL can manage every link in it.",
  }),
}

/** The response to the creation of a collection. */
export const createdCollectionBody = Type.Object(
  {
    ...keys,
    ...fields,
  },
  { title: 'CreatedCollection' },
)

/** The response to the rotation of a collection's token. */
export const rotatedCollectionBody = Type.Object(keys, { title: 'RotatedCollectionToken' })

const count = (description: string) => Type.Integer({ minimum: 0, description })
const { scans, humans, last_scan_at: lastScanAt } = detailsBody.properties.totals.properties

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
    campaigns: Type.Array(
      Type.Object(
        {
          value: Type.Unsafe<string | null>({
            anyOf: [Type.String(), { type: 'null' }],
            description: '`campaign` of these links; null: they have none.',
          }),
          links: count('How many of the links have it.'),
          scans: count('How often they were visited.'),
        },
        { title: 'CampaignOfCollection' },
      ),
      {
        description: `Those of its links, the ${MAX_CAMPAIGNS.toLocaleString('en')} largest; none for an empty collection.`,
      },
    ),
    webhook: Type.Unsafe<WebhookDetails | null>({
      anyOf: [webhookDetails, { type: 'null' }],
      description:
        'Where the events of all its links are sent. `destination_failing_since` is that of the link that has failed for longest.',
    }),
    totals: Type.Object(
      { scans, humans, last_scan_at: lastScanAt },
      { title: 'TotalsOfCollection', description: 'Of all its links, since each was created.' },
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

export const endedBody = Type.Object(
  {
    deleted: Type.Literal(true),
    links: Type.Optional(count('With `links=true`: how many links this request has deleted.')),
  },
  { title: 'EndedCollection' },
)

export const leftBody = Type.Object(
  { removed: Type.Literal(true), code: Type.String({ description: 'As in the path.' }) },
  { title: 'LeftCollection' },
)
