import { Type, type TSchema } from '#typebox'
import { RULE } from '../../http/validate.ts'
import { asOfField } from '../../links/schemas.ts'
import { MAX_TEXT } from '../../dimensions/cells.ts'
import { UNKNOWN_VALUE } from '../../dimensions/dimension.ts'
import { MAX_VALUES } from '../statistics/stats-query.ts'
import { dimensions, type DimensionName } from '../../dimensions/dimensions.ts'

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

/** Days of a window with `from` and `to`: a leap year. */
export const MAX_DAYS = 366
/** Days of a window whose series has hours. */
export const MAX_DAYS_OF_HOURS = 31

const date = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
      [RULE]: 'must be a day as YYYY-MM-DD, such as 2026-10-25',
      description,
      examples: [example],
    }),
  )

/** The window of statistics that ends today. */
const lastDays = {
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

const previousWindow = {
  previous: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether to add `previous`: the totals of the window before, for comparisons.',
    }),
  ),
}

/** The window of statistics. */
export const statsWindow = {
  ...lastDays,
  from: date(
    `First day of the window, in place of \`days\`. A window has at most ${MAX_DAYS} days, of any past.`,
    '2026-10-01',
  ),
  to: date('Last day of the window, included: today or before; today if absent. Goes with `from`.', '2026-10-31'),
  interval: Type.Optional(
    Type.String({
      pattern: '^(?:hour|day|week|month)$',
      [RULE]: 'must be hour, day, week or month',
      default: 'day',
      description: `What each entry of \`series\` counts. \`hour\` needs a window of at most ${MAX_DAYS_OF_HOURS} days; weeks begin on Monday.`,
      examples: ['week'],
    }),
  ),
  compare: Type.Optional(
    Type.String({
      pattern: '^(?:previous|year)$',
      [RULE]: 'must be previous or year',
      description:
        'Adds `compared`: the totals of as many days before the window, or of its days in the year before (of 29 February the 28th).',
      examples: ['year'],
    }),
  ),
}

/** What breakdowns print for many values at once, which no single scan can be asked for. */
const anyValue = {
  schema: { pattern: '^(?!\\(other\\)$)' },
  rule: `must not be (other), which stands for many values; ${UNKNOWN_VALUE} is unknown`,
}

function valuesOf({ name, filter: { form = anyValue, example } }: (typeof dimensions)[number]) {
  const value = { minLength: 1, maxLength: MAX_TEXT, ...form.schema, [RULE]: form.rule, examples: [example] }
  return Type.Optional(
    Type.Array(Type.String(value), {
      minItems: 1,
      maxItems: MAX_VALUES,
      description: `Counts only scans with one of these values, as \`breakdowns.${name}\` has them; each ${form.rule}. All filters must fit.`,
    }),
  )
}

/** Values of dimensions, of which the counted scans have one each. */
export const statsFilters = Object.fromEntries(
  dimensions.map((dimension) => [dimension.name, valuesOf(dimension)]),
) as Record<DimensionName, ReturnType<typeof valuesOf>>

/** The query of the statistics. */
export const statsQuery = Type.Object({
  ...statsWindow,
  ...statsFilters,
  ...previousWindow,
  heat: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether to add `heat`: the scans of each hour of the week.',
      examples: [true],
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'The most values that each breakdown lists, in place of ten; of `source` always both.',
      examples: [100],
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
      description:
        'Its end: where the window ends today, at the time of day that it is now, as today is not over either.',
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

const compared = Type.Object(
  {
    from: Type.String({ format: 'date', description: 'Its first day.' }),
    to: Type.String({
      format: 'date',
      description: 'Its last day. Where the window ends today, it counts until the time of day that it is now.',
    }),
    totals: windowTotals,
    by_audience: Type.Optional(byAudience),
  },
  {
    title: 'ComparedTotals',
    description: 'The totals of the window with which this one is compared. Only present with `compare`.',
  },
)

const hour = Type.Object(
  {
    at: Type.String({ format: 'date-time', description: 'When the hour begins, in local time with its offset.' }),
    ...counts,
  },
  { title: 'HourCount' },
)

const period = Type.Object(
  {
    date: Type.String({
      description:
        'The day, or of a week or a month its first day in the window; of an hour when it begins, in local time with its offset.',
      examples: ['2026-10-25', '2026-10-25T02:00+02:00'],
    }),
    ...counts,
  },
  { title: 'PeriodCount' },
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
    to: Type.String({ format: 'date', description: 'Last day of the window; today without `to`.' }),
    timezone: Type.String(),
    audience: Type.String(),
    totals: windowTotals,
    unique_visitors: counts.unique_visitors,
    by_audience: byAudience,
    series: Type.Array(period, { description: 'Every period of the window, zeros included: days without `interval`.' }),
    hours: Type.Optional(
      Type.Array(hour, {
        description:
          'Every hour of a window of one day; 23 or 25 when clocks change. Only present if `days` is 1, whatever `interval` is.',
      }),
    ),
    previous: Type.Optional(previous),
    compared: Type.Optional(compared),
    heat: Type.Optional(
      Type.Array(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 24, maxItems: 24 }), {
        minItems: 7,
        maxItems: 7,
        description:
          'The scans of the audience by day of the week, Monday first, and hour of the day, in local time. Only present with `heat=true`.',
      }),
    ),
    breakdowns: Type.Object(
      Object.fromEntries(
        dimensions.map(({ name, tell }) => [name, Type.Array('country' in tell(null) ? cityRow : row)]),
      ),
      {
        description:
          'The ten most frequent values of each dimension, or `limit`; unknown is null. Of `answer` all: the number of a rule, or `link`.',
      },
    ),
    raw_missing: count('Scans of the window, of any audience, that count and that exports lack.'),
    as_of: Type.Optional(asOfField),
  },
  { title: 'Statistics' },
)
