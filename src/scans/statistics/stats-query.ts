import type { DimensionName } from '../../dimensions/dimensions.ts'

/** Whose scans are counted. */
export type Audience = 'all' | 'human' | 'bot'

/** How long a period of the series is. */
export type Interval = 'hour' | 'day' | 'week' | 'month'

/** With which earlier window another is compared: the one before it, or the same days of the year before. */
export type Comparison = 'previous' | 'year'

export interface Counts {
  scans: number
  unique_visitors: number
}

/**
 * Values of dimensions, of which a scan must have one each to be counted: as breakdowns print them, and `UNKNOWN_VALUE`. They are
 * counted of raw scans.
 */
export type Filters = Partial<Record<DimensionName, readonly string[]>>

/** Values of one filter. */
export const MAX_VALUES = 20

/** Which statistics are requested. */
export interface StatsQuery {
  days: number
  /** The last day, as a date; today without one. */
  to?: string | undefined
  timeZone: string
  audience: Audience
  /** A day without one. */
  interval?: Interval | undefined
  /** Whether to read the counts of the window before, too. */
  previous?: boolean
  compare?: Comparison | undefined
  /** Whether to count the scans of each hour of the week, too. */
  heat?: boolean
  /** How many values each breakdown lists; as many as its dimension says without one. */
  limit?: number | undefined
  filters?: Filters | undefined
}

export type WindowTotals = Counts & { humans: number; bots: number; qr: number; link: number }

const HOURS_OF_DAY = 24

/** How many periods a query reads of a link, nearly: those of a week or a month cost as much as their days. */
export function pointsOf({ days, interval }: Pick<StatsQuery, 'days' | 'interval'>): number {
  return interval === 'hour' ? days * HOURS_OF_DAY : days
}
