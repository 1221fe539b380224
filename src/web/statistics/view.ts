import type { Names } from '../../dimensions/dimension.ts'
import type { Totals } from '../../links/link.ts'
import type { Stats } from '../../scans/statistics/stats.ts'
import type { Language } from '../../texts/language.ts'

/** The window of the statistics that a page shows. */
export interface PageQuery {
  days: number
  tz: string
  audience: Stats['audience']
}

/** What a page says of a link's statistics. */
export interface LoadedStatistics {
  query: PageQuery
  /** Undefined when they could not be read. */
  stats: Stats | undefined
  now: number
}

/** The data of the section. */
export interface StatisticsView extends LoadedStatistics {
  language: Language
  /** The path of the page. */
  path: string
  code: string
  shortUrl: string
  /** The path of the QR code, unless the link is suspended. */
  image: string | undefined
  /** The address of the page to print. */
  print: string
  /** All scans so far, for the owner; undefined while they cannot be read. */
  totals?: Totals | undefined
  /** The path of the event stream, for the owner. */
  stream?: string
  /** The path of the export, for those who may download it. */
  csv?: string
  /** The path of the ZIP of the whole link, for the owner. */
  bundle?: string
  /** What the owner calls a placement, for him. */
  placement?: Names['placement']
  /** Whether the cities come from DB-IP, whose licence requires a link. */
  credit: boolean
}
