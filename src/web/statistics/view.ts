import type { CampaignCount, LinkCount } from '../../collections/breakdowns.ts'
import type { DimensionName } from '../../dimensions/dimensions.ts'
import type { Names } from '../../dimensions/dimension.ts'
import type { Totals } from '../../links/link.ts'
import type { Stats } from '../../scans/statistics/stats.ts'
import type { Comparison, Filters, Interval } from '../../scans/statistics/stats-query.ts'
import type { Language } from '../../texts/language.ts'

/** The days that are shown: so many until today, or from a date to another, today without one. */
export type PageWindow = { days: number } | { from: string; to?: string | undefined }

/** What statistics list: the values of a dimension, and of several links these and their campaigns. */
export type ListName = DimensionName | 'link' | 'campaign'

/** The statistics of a link, or of several links together. */
export type ShownStats = Stats & {
  /** How many links were counted. */
  links?: number
  breakdowns: { link?: ShownLinkCount[]; campaign?: CampaignCount[] }
}

/** One of several links, with where it leads if the reader may see that. */
type ShownLinkCount = LinkCount & { destinations?: string[] }

/** What the address of a page says of the statistics that it shows. */
export interface PageQuery {
  window: PageWindow
  tz: string
  audience: Stats['audience']
  /** What a column of the chart counts; undefined for hours of one day, else days. */
  interval: Interval | undefined
  compare: Comparison
  /** Whether the page has more than the figures, one chart and the most frequent values. */
  isDetailed: boolean
  filters: Filters
  /** Of several links, the campaign of those that are counted; `UNKNOWN_VALUE` for none. Undefined for all links. */
  campaign?: string | undefined
  /** The breakdown of which all values are listed, and the page of those that fit a search. */
  list: { name: ListName; search: string; page: number } | undefined
}

/** What a page says of the statistics of a link, or of several. */
export interface LoadedStatistics {
  query: PageQuery
  /** Whether the window is another one than the address says, because that one has no days, or too many. */
  isCut: boolean
  /** Whether the reader may see what comes close to single scans. */
  hasDetails: boolean
  /** Whether filters ask for scans that are not stored any longer. */
  isBeyond?: boolean
  /** Undefined when they could not be read. */
  stats: ShownStats | undefined
  now: number
}

/** The link of which statistics are shown. */
export interface ShownLink {
  code: string
  /** The path of the QR code, unless the link is suspended. */
  image: string | undefined
  /** The address of the page to print. */
  print: string
}

/** The data of the section. */
export interface StatisticsView extends LoadedStatistics {
  language: Language
  /** The path of the page. */
  path: string
  /** What prints and pictures call it: the address of the link, or the name of several. */
  name: string
  /** What only one link has; undefined for several. */
  link?: ShownLink
  /** The path of the page of one of several links, for those who may open it. */
  pageOf?: (code: string) => string
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
  /** What the owner has changed, for him: milliseconds since 1970, and the words. */
  changes?: { at: number; text: string }[]
  /** Whether a webhook reports milestones to the owner, or may be set to. */
  milestones?: 'reported' | 'possible' | undefined
  /** Whether the cities come from DB-IP, whose licence requires a link. */
  credit: boolean
}
