import { Type, type TSchema } from '#typebox'
import { statsBody, statsQuery } from '../scans/api/schemas.ts'
import { MAX_LINKS } from './bounds.ts'
import { campaignQuery } from './campaign-query.ts'

const nullable = (schema: TSchema) => Type.Unsafe<string | null>({ anyOf: [schema, { type: 'null' }] })

/** The query of the statistics of a collection. */
export const collectionStatsQuery = Type.Object({ ...statsQuery.properties, ...campaignQuery })

const { totals, breakdowns, code: _, destinations: __, ...rest } = statsBody.properties
const { scans, unique_visitors: visitors } = totals.properties
const linkRow = Type.Object(
  { code: Type.String(), title: nullable(Type.String()), scans, unique_visitors: visitors },
  { title: 'LinkCount' },
)
const campaignRow = Type.Object(
  { value: nullable(Type.String()), scans, unique_visitors: visitors },
  { title: 'CampaignCount' },
)

/** The statistics of a collection. */
export const collectionStatsBody = Type.Object(
  {
    links: Type.Integer({ minimum: 0, maximum: MAX_LINKS, description: 'The links that were counted.' }),
    totals,
    ...rest,
    breakdowns: Type.Object(
      {
        ...breakdowns.properties,
        link: Type.Array(linkRow, { description: 'The links with most scans, as many as of other breakdowns.' }),
        campaign: Type.Array(campaignRow, { description: 'The campaigns of the links; null for links without one.' }),
      },
      { description: 'As of a link, and by link and campaign.' },
    ),
  },
  {
    title: 'CollectionStatistics',
    description:
      'The sums of its links. Somebody who visits two of them is a unique visitor of each, and counts twice.',
  },
)
