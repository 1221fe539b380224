import { Type } from '#typebox'
import { failedRow, rowIndex as index } from '../../links/bulk/bulk-schemas.ts'
import { statsBody, statsWindow } from './schemas.ts'

/** Links of one request. */
const MAX_TOKENS = 500
/** Days of all links in one response, some 60 bytes each: all 500 links for 80 days, or 109 for a year. */
export const MAX_POINTS = 40_000

/** The body of a request for the statistics of many links. */
export const manyStatsRequest = Type.Object(
  {
    tokens: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: MAX_TOKENS,
      description: `The tokens of the links. Their number times \`days\` may be at most ${MAX_POINTS}.`,
    }),
    ...statsWindow,
  },
  { title: 'ManyStatisticsRequest' },
)

const { code, days, from, to, timezone, audience, totals, series, as_of: asOf } = statsBody.properties
const counts = { totals, unique_visitors: statsBody.properties.unique_visitors, series }

/** The statistics of many links. */
export const manyStatsBody = Type.Object(
  {
    days,
    from,
    to,
    timezone,
    audience,
    as_of: asOf,
    links: Type.Array(
      Type.Unsafe({
        anyOf: [Type.Object({ index, code, ...counts }, { title: 'LinkStatistics' }), failedRow],
      }),
      { description: 'A row for each token, in their order. A link that has two rows counts once in `total`.' },
    ),
    total: Type.Object(
      { links: Type.Integer({ minimum: 0, description: 'The links that were counted.' }), ...counts },
      {
        title: 'TotalStatistics',
        description:
          'The sums of all links. Somebody who visits two of them is a unique visitor of each, and counts twice.',
      },
    ),
  },
  { title: 'ManyStatistics' },
)
