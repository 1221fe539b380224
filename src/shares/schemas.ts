import { Type } from '#typebox'
import { campaignQuery } from '../collections/campaign-query.ts'
import { collectionStatsBody } from '../collections/stats-schemas.ts'
import { UNKNOWN_VALUE } from '../dimensions/dimension.ts'
import { text } from '../http/fields.ts'

const name = text(100, 'For the owner; readers of the share never see it.')
const csv = Type.Boolean({ description: 'Whether the share includes `scans.csv`, a line for each scan.' })
const destination = Type.Boolean({ description: 'Whether the share includes where the link leads.' })

/** A new share. */
export const shareBody = Type.Object(
  { name: Type.Optional(name), csv: Type.Optional(csv), destination: Type.Optional(destination) },
  { title: 'NewShare', examples: [{ name: 'agency', csv: true }] },
)

const fields = {
  id: Type.String({ description: 'Names the share in its revocation.' }),
  name: Type.Unsafe({ anyOf: [name, { type: 'null' }] }),
  csv,
  destination,
  created_at: Type.String({ format: 'date-time', description: 'When the share was created, UTC.' }),
}

const keys = {
  share_url: Type.String({
    format: 'uri',
    description: 'The page of the share. Anyone who has this URL can read the statistics.',
  }),
  share_token: Type.String({ description: 'The token of the share. Only this response has it.' }),
}

/** The response to the creation of a share. */
export const createdShareBody = Type.Object({ ...keys, ...fields }, { title: 'CreatedShare' })

/** The shares of a link. */
export const sharesBody = Type.Object(
  { shares: Type.Array(Type.Object(fields, { title: 'Share' }), { description: 'Oldest first.' }) },
  { title: 'Shares' },
)

export const revokedBody = Type.Object({ deleted: Type.Literal(true), id: Type.String() }, { title: 'RevokedShare' })

const campaign = Type.Unsafe<string | null>({
  anyOf: [Type.String(), { type: 'null' }],
  description: `The campaign of the links; \`${UNKNOWN_VALUE}\`: they have none; null: all links.`,
})
const linksCsv = Type.Boolean({ description: 'Whether the share includes `scans.csv`, a line for each scan.' })
const linksDestination = Type.Boolean({ description: 'Whether the share includes where the links lead.' })

/** A new share of a collection. */
export const collectionShareBody = Type.Object(
  {
    name: Type.Optional(name),
    // Absent for all links.
    ...campaignQuery,
    csv: Type.Optional(linksCsv),
    destination: Type.Optional(linksDestination),
  },
  { title: 'NewCollectionShare', examples: [{ name: 'boss', campaign: 'spring' }] },
)

const collectionFields = { ...fields, campaign, csv: linksCsv, destination: linksDestination }

/** The response to the creation of a share of a collection. */
export const createdCollectionShareBody = Type.Object(
  { ...keys, ...collectionFields },
  { title: 'CreatedCollectionShare' },
)

/** The shares of a collection. */
export const collectionSharesBody = Type.Object(
  { shares: Type.Array(Type.Object(collectionFields, { title: 'CollectionShare' }), { description: 'Oldest first.' }) },
  { title: 'CollectionShares' },
)

const { breakdowns, ...statistics } = collectionStatsBody.properties
const { link, ...otherBreakdowns } = breakdowns.properties

/** The statistics of a collection for readers of a share: where links lead, if its owner included that. */
export const sharedStatsBody = Type.Object(
  {
    ...statistics,
    breakdowns: Type.Object(
      {
        ...otherBreakdowns,
        link: Type.Array(
          Type.Object(
            {
              ...link.items.properties,
              destinations: Type.Optional(
                Type.Array(Type.String({ format: 'uri' }), {
                  description: 'Where the link leads. Only present in a share whose owner included it.',
                }),
              ),
            },
            { title: 'SharedLinkCount' },
          ),
        ),
      },
      { description: 'As of a collection.' },
    ),
  },
  { title: 'SharedCollectionStatistics' },
)
