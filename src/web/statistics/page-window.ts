import { MAX_DAYS, MAX_DAYS_OF_HOURS } from '../../scans/api/schemas.ts'
import type { Comparison, Interval } from '../../scans/statistics/stats-query.ts'
import type { PageWindow } from './view.ts'

type Date = Temporal.PlainDate

/** The first and the last day of a window. */
export function datesOf(window: PageWindow, today: Date): { first: Date; last: Date; days: number } {
  if ('days' in window) return { first: today.subtract({ days: window.days - 1 }), last: today, days: window.days }
  const first = Temporal.PlainDate.from(window.from)
  const last = window.to === undefined ? today : Temporal.PlainDate.from(window.to)
  return { first, last, days: first.until(last).days + 1 }
}

/**
 * The window of two days that somebody has typed: one that can be shown, whichever came first and however far they are apart.
 * @returns undefined when neither is a day
 */
export function windowBetween(
  from: string,
  to: string,
  today: Date,
): { window: PageWindow; isCut: boolean } | undefined {
  const [typedFirst, typedLast] = [dateIn(from), dateIn(to)]
  if (typedFirst === undefined && typedLast === undefined) return undefined
  const [one, other] = [typedFirst ?? typedLast ?? today, typedLast ?? today]
  const isSwapped = Temporal.PlainDate.compare(one, other) > 0
  const last = earlier(isSwapped ? one : other, today)
  const earliest = last.subtract({ days: MAX_DAYS - 1 })
  const first = later(earlier(isSwapped ? other : one, last), earliest)
  const isCut = !first.equals(one) || !last.equals(other)
  const isOpen = typedLast === undefined && !isCut
  return { window: { from: first.toString(), ...(!isOpen && { to: last.toString() }) }, isCut }
}

/** Undefined for what is no day of this calendar. */
function dateIn(text: string): Date | undefined {
  if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(text)) return undefined
  try {
    return Temporal.PlainDate.from(text)
  } catch {
    return undefined
  }
}

const earlier = (a: Date, b: Date) => (Temporal.PlainDate.compare(a, b) < 0 ? a : b)
const later = (a: Date, b: Date) => (Temporal.PlainDate.compare(a, b) > 0 ? a : b)

export type Preset = 'month' | 'lastMonth' | 'year' | 'lastYear'

/** A calendar window, with what it is looked at for: years month by month, against the year before. */
export interface PresetChoice {
  name: Preset
  window: PageWindow
  interval: Interval | undefined
  compare: Comparison
}

/** The months and years that have names of their own. The present ones are open, so that a bookmark goes on with them. */
export function presetsOf(today: Date): PresetChoice[] {
  const month = today.with({ day: 1 })
  const year = today.with({ month: 1, day: 1 })
  const whole = (first: Date, next: Date) => ({ from: first.toString(), to: next.subtract({ days: 1 }).toString() })
  const ofYear = { interval: 'month', compare: 'year' } as const
  const ofMonth = { interval: undefined, compare: 'previous' } as const
  return [
    { name: 'month', window: { from: month.toString() }, ...ofMonth },
    { name: 'lastMonth', window: whole(month.subtract({ months: 1 }), month), ...ofMonth },
    { name: 'year', window: { from: year.toString() }, ...ofYear },
    { name: 'lastYear', window: whole(year.subtract({ years: 1 }), year), ...ofYear },
  ]
}

/**
 * The intervals that have more than a column in a window of so many days.
 * @param hasHours whether the reader may see hours of several days
 */
export function intervalsOf(days: number, hasHours: boolean): Interval[] {
  if (days === 1) return []
  const all: [Interval, boolean][] = [
    ['hour', hasHours && days <= MAX_DAYS_OF_HOURS],
    ['day', true],
    ['week', days > 7],
    ['month', days > 31],
  ]
  return all.flatMap(([interval, fits]) => (fits ? [interval] : []))
}
