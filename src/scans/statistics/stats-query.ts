/** Whose scans are counted. */
export type Audience = 'all' | 'human' | 'bot'

export interface Counts {
  scans: number
  unique_visitors: number
}

/** Which statistics are requested. */
export interface StatsQuery {
  days: number
  timeZone: string
  audience: Audience
  /** Whether to read the counts of the window before, too. */
  previous?: boolean
}

export type WindowTotals = Counts & { humans: number; bots: number; qr: number; link: number }
