import type { Static } from '#typebox'
import { invalidRequest, type Problem } from '../../http/problem.ts'
import { isTimeZone } from '../../lib/time-zone.ts'
import type { Audience, Comparison, Interval, StatsQuery } from '../statistics/stats-query.ts'
import { dateAt } from '../statistics/windows.ts'
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
  }
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
