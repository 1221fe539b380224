import type { Static } from '#typebox'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { isTimeZone } from '../../lib/time-zone.ts'
import { startOfSlot } from '../calendar.ts'
import type { Audience, Comparison, Filters, Interval, StatsQuery } from '../statistics/stats-query.ts'
import { dateAt, windowsOf } from '../statistics/windows.ts'
import { MAX_DAYS, MAX_DAYS_OF_HOURS, type statsQuery } from './schemas.ts'

/** The parameters of statistics. */
export type StatsParameters = Static<typeof statsQuery>

const DEFAULT_DAYS = 30

/** Checks what the schema of the parameters cannot. @throws {Problem} 400 that names the parameter and its bound */
export function queryOf(parameters: StatsParameters, now: number): StatsQuery {
  const { tz = 'UTC', audience = 'all', interval, previous = false, compare, heat = false, limit } = parameters
  if (!isTimeZone(tz)) throw refusal('tz', 'must be an IANA time zone such as Europe/Berlin')
  const { days, to } = windowOf(parameters, dateAt(now, tz))
  if (interval === 'hour' && days > MAX_DAYS_OF_HOURS)
    throw refusal(
      'interval',
      `must not be hour: the window has ${days} days, and hours need at most ${MAX_DAYS_OF_HOURS}`,
    )
  return {
    days,
    to,
    timeZone: tz,
    audience: audience as Audience,
    interval: interval as Interval | undefined,
    previous,
    heat,
    limit,
    compare: compare as Comparison | undefined,
    filters: filtersOf(parameters),
  }
}

/** The filters, if there are some: equal ones in the same order, as equal queries are answered together. */
function filtersOf(parameters: StatsParameters): Filters | undefined {
  const given = dimensionNames.flatMap((name) => {
    const values = parameters[name]
    return values === undefined ? [] : [[name, [...new Set(values)].toSorted()] as const]
  })
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

/**
 * Checks that all scans of which a query with filters counts some are stored.
 * @param retention how long raw scans are stored, in milliseconds
 * @throws {Problem} 400 that names the first day that can be asked for
 */
export function requireRetained(query: StatsQuery, now: number, retention: number): void {
  if (query.filters === undefined || retention === Number.POSITIVE_INFINITY) return
  const oldest = now - retention
  const { whole, before, compared } = windowsOf(query, now)
  const name = query.to === undefined ? 'days' : 'from'
  const windows = Object.entries({ [name]: whole, previous: before, compare: compared })
  const [pointer] = windows.find(([, window]) => window !== undefined && startOfSlot(window.fromSlot) < oldest) ?? []
  if (pointer === undefined) return
  const first = dateAt(oldest, query.timeZone).add({ days: 1 }).toString()
  const detail = `must not reach before ${first}: filters count single scans, which are not stored any longer`
  throw new Problem('beyond_retention', detail, { errors: [{ pointer: `/${pointer}`, detail }] })
}

function refusal(name: keyof StatsParameters, detail: string): Problem {
  return invalidRequest([{ pointer: `/${name}`, detail }])
}

/** The days that are counted. */
function windowOf({ days, from, to }: StatsParameters, today: Temporal.PlainDate): Pick<StatsQuery, 'days' | 'to'> {
  if (from === undefined && to === undefined) return { days: days ?? DEFAULT_DAYS }
  if (days !== undefined) throw refusal('days', 'must be absent where from or to is given')
  if (from === undefined) throw refusal('from', 'is required where to is given')
  const [first, last] = [dateOf('from', from), to === undefined ? today : dateOf('to', to)]
  const isAfter = (date: Temporal.PlainDate, end: Temporal.PlainDate) => Temporal.PlainDate.compare(date, end) > 0
  if (isAfter(last, today)) throw refusal('to', `must be at most ${today.toString()}, today`)
  if (isAfter(first, last)) throw refusal('from', `must be at most ${last.toString()}, the last day of the window`)
  const length = first.until(last).days + 1
  if (length <= MAX_DAYS) return { days: length, to: last.toString() }
  const least = last.subtract({ days: MAX_DAYS - 1 }).toString()
  throw refusal(
    'from',
    `must be at least ${least}: a window that ends on ${last.toString()} has at most ${MAX_DAYS} days`,
  )
}

/** Whether the day exists is only known here. */
function dateOf(name: 'from' | 'to', text: string): Temporal.PlainDate {
  try {
    const date = Temporal.PlainDate.from(text)
    if (date.year > 0) return date
  } catch {
    // It does not.
  }
  throw refusal(name, 'must be a day of the calendar, such as 2026-10-25')
}
