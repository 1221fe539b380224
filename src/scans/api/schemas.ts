import { Type, type TSchema } from '#typebox'
import { RULE } from '../../http/validate.ts'
import { asOfField } from '../../links/schemas.ts'
import { dimensions } from '../../dimensions/dimensions.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const nullable = (schema: TSchema) => Type.Unsafe({ anyOf: [schema, { type: 'null' }] })
const counts = {
  scans: count('Recorded visits.'),
  unique_visitors: count('Visitors, each counted once per link and UTC day.'),
}
const split = {
  humans: count('Scans by people.'),
  bots: count('Scans by robots, previews and prefetches.'),
  qr: count('Scans of the QR image.'),
  link: count('Visits of the link.'),
}

/** The window of statistics. */
export const statsWindow = {
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 365,
      default: 30,
      description: 'Length of the window in days, today included.',
    }),
  ),
  tz: Type.Optional(
    Type.String({
      maxLength: 64,
      default: 'UTC',
      description: 'IANA time zone in which days begin and end.',
      examples: ['Europe/Berlin'],
    }),
  ),
  audience: Type.Optional(
    Type.String({
      pattern: '^(?:all|human|bot)$',
      [RULE]: 'must be all, human or bot',
      default: 'all',
      description: 'The visitors whose scans are counted.',
    }),
  ),
}

/** The query of the statistics. */
export const statsQuery = Type.Object({
  ...statsWindow,
  previous: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether to add `previous`: the totals of the window before, for comparisons.',
    }),
  ),
})

const row = Type.Object({ value: nullable(Type.String()), ...counts }, { title: 'ValueCount' })
const cityRow = Type.Object(
  { value: nullable(Type.String()), country: nullable(Type.String()), ...counts },
  { title: 'CityCount' },
)

const windowTotals = Type.Object({ ...counts, ...split }, { title: 'WindowTotals' })
const byAudience = Type.Object(
  {
    humans: Type.Object(counts, { title: 'AudienceCounts' }),
    bots: Type.Object(counts, { title: 'AudienceCounts' }),
  },
  { title: 'CountsByAudience', description: 'The counts of people and of bots, whatever `audience` is.' },
)

const previous = Type.Object(
  {
    from: Type.String({ format: 'date', description: 'First day of the window before.' }),
    until: Type.String({
      format: 'date-time',
      description: 'Its end, at the time of day that it is now: the last day of a window is not over either.',
    }),
    totals: windowTotals,
    unique_visitors: counts.unique_visitors,
    by_audience: byAudience,
  },
  {
    title: 'PreviousTotals',
    description: 'The totals of as many days before the window. Only present with `previous=true`.',
  },
)

const hour = Type.Object(
  {
    at: Type.String({ format: 'date-time', description: 'When the hour begins, in local time with its offset.' }),
    ...counts,
  },
  { title: 'HourCount' },
)

export const statsBody = Type.Object(
  {
    code: Type.String(),
    destinations: Type.Optional(
      Type.Array(Type.String({ format: 'uri' }), {
        description: 'Where the link leads. Only present in a share whose owner included it.',
      }),
    ),
    days: Type.Integer(),
    from: Type.String({ format: 'date', description: 'First day of the window.' }),
    to: Type.String({ format: 'date', description: 'Last day of the window: today.' }),
    timezone: Type.String(),
    audience: Type.String(),
    totals: windowTotals,
    unique_visitors: counts.unique_visitors,
    by_audience: byAudience,
    series: Type.Array(Type.Object({ date: Type.String({ format: 'date' }), ...counts }, { title: 'DayCount' }), {
      description: 'Every day of the window, zeros included.',
    }),
    hours: Type.Optional(
      Type.Array(hour, {
        description: 'Every hour of a window of one day; 23 or 25 when clocks change. Only present if `days` is 1.',
      }),
    ),
    previous: Type.Optional(previous),
    breakdowns: Type.Object(
      Object.fromEntries(
        dimensions.map(({ name, tell }) => [name, Type.Array('country' in tell(null) ? cityRow : row)]),
      ),
      {
        description:
          'The ten most frequent values of each dimension; unknown is null. Of `answer` all: the number of a rule, or `link`.',
      },
    ),
    raw_missing: count('Scans of the window, of any audience, that count and that exports lack.'),
    as_of: Type.Optional(asOfField),
  },
  { title: 'Statistics' },
)
