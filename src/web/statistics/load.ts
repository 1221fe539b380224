import { Type } from '#typebox'
import type { FastifyRequest } from 'fastify'
import { campaignQuery } from '../../collections/campaign-query.ts'
import { Problem } from '../../http/problem.ts'
import { createValidator } from '../../http/validate.ts'
import { isTimeZone } from '../../lib/time-zone.ts'
import type { Totals } from '../../links/link.ts'
import type { StatsParameters } from '../../scans/api/query.ts'
import { readLatestStats, type StatsSources } from '../../scans/api/routes.ts'
import { dateAt } from '../../scans/statistics/windows.ts'
import { filtersIn } from './filters.ts'
import { datesOf, intervalsOf, windowBetween } from './page-window.ts'
import { listNamesOf } from './list-names.ts'
import type { ListName, LoadedStatistics, PageQuery, ShownStats } from './view.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 365
const MAX_ZONE = 64
/** More than there are countries: the map has all. */
const LISTED = 300
/** As many as the API lists. */
const ALL_LISTED = 1000
const MAX_SEARCH = 100

/** What a page shows, as its address says. */
export type Asked = Pick<LoadedStatistics, 'query' | 'isCut' | 'hasDetails'>

/**
 * Reads what the query of a page says of its statistics. An invalid field gets its default: the rest of the page needs none of
 * them.
 * @param hasDetails whether the reader may see what comes close to single scans
 * @param isOfMany whether the statistics are of several links, which have campaigns
 */
export function pageQueryOf(query: Record<string, unknown>, now: number, hasDetails: boolean, isOfMany = false): Asked {
  const text = (name: string) => (typeof query[name] === 'string' ? query[name] : '')
  const tz = zoneIn(text('tz'))
  const today = dateAt(now, tz)
  const between = windowBetween(text('from'), text('to'), today)
  const window = between?.window ?? { days: daysIn(text('days')) }
  const { days } = datesOf(window, today)
  const fields = {
    window,
    tz,
    audience: audiences.find((each) => each === text('audience')) ?? 'human',
    interval: intervalsOf(days, hasDetails).find((each) => each === text('interval')),
    compare: hasDetails && text('compare') === 'year' ? 'year' : 'previous',
    isDetailed: text('view') === 'detail',
    filters: filtersIn(query, hasDetails),
    campaign: isOfMany && isCampaign(text('campaign')) ? text('campaign') : undefined,
    list: hasDetails ? listIn(listNamesOf(isOfMany), text) : undefined,
  } as const
  return { query: fields, isCut: between?.isCut ?? false, hasDetails }
}

const faultsOf = createValidator(Type.Object(campaignQuery))

const isCampaign = (campaign: string) => faultsOf({ campaign }).length === 0

function listIn(names: readonly ListName[], text: (name: string) => string): PageQuery['list'] {
  const listed = text('view') === 'detail' ? names.find((each) => each === text('list')) : undefined
  const number = Number(text('page'))
  return (
    listed && {
      name: listed,
      search: text('search').slice(0, MAX_SEARCH),
      page: Number.isInteger(number) && number >= 1 ? number : 1,
    }
  )
}

const audiences = ['all', 'bot'] as const

function zoneIn(text: string): string {
  return text !== '' && text.length <= MAX_ZONE && isTimeZone(text) ? text : 'UTC'
}

function daysIn(text: string): number {
  const days = Number(text)
  return Number.isInteger(days) && days >= 1 && days <= MAX_DAYS ? days : DEFAULT_DAYS
}

/** The parameters of the API that read what a page shows. */
function requestOf(
  { window, tz, audience, interval, compare, isDetailed, filters, campaign, list }: PageQuery,
  hasDetails: boolean,
): PageParameters {
  return {
    ...('days' in window
      ? { days: window.days }
      : { from: window.from, ...(window.to !== undefined && { to: window.to }) }),
    tz,
    audience,
    ...(interval !== undefined && { interval }),
    ...(campaign !== undefined && { campaign }),
    ...(compare === 'year' ? { compare } : { previous: true }),
    ...(hasDetails && isDetailed && { heat: true, limit: list === undefined ? LISTED : ALL_LISTED }),
    ...Object.fromEntries(Object.entries(filters).map(([name, values]) => [name, [...values]])),
  }
}

/** The parameters of the statistics of a link, or of several. */
type PageParameters = StatsParameters & { campaign?: string }

/** Where a page reads its statistics. */
export interface PageSource {
  /** @throws {Problem} 503 when no slot is free, 400 when filters ask for scans that are not stored any longer */
  read: (parameters: PageParameters) => Promise<ShownStats>
  now: () => number
  /** Whether they are of several links, which have campaigns. */
  isOfMany?: boolean
}

/** The statistics of a link, for a page. */
export function sourceOfLink(reading: StatsSources, request: Pick<FastifyRequest, 'raw'>, linkId: number): PageSource {
  return { read: (parameters) => readLatestStats(reading, request, linkId, parameters), now: reading.now }
}

/**
 * Loads the statistics that the address of a page asks for. Filters count single scans: where those of the earlier window are not
 * stored any longer, nothing is compared.
 * @throws {Problem} 503 when no slot is free
 */
export async function readForPage(
  { now: clock, read: readStats }: PageSource,
  asked: Asked,
): Promise<LoadedStatistics> {
  const now = clock()
  const parameters = requestOf(asked.query, asked.hasDetails)
  const read = async (given: PageParameters): Promise<LoadedStatistics> => ({
    ...asked,
    stats: await readStats(given),
    now,
  })
  try {
    return await read(parameters)
  } catch (error) {
    const pointer = beyondRetention(error)
    if (pointer === undefined) throw error
    if (pointer !== '/previous' && pointer !== '/compare') return { ...asked, stats: undefined, isBeyond: true, now }
  }
  const { previous: _previous, compare: _compare, ...alone } = parameters
  return read(alone)
}

/** Which parameter asks for scans that are not stored any longer; undefined for other errors. */
function beyondRetention(error: unknown): string | undefined {
  if (!(error instanceof Problem) || error.code !== 'beyond_retention') return undefined
  return error.errors?.[0]?.pointer ?? ''
}

/**
 * Loads the totals of a link for a page that works without them, too.
 * @throws nothing: while they cannot be read, they are undefined
 */
export function loadTotals(
  read: (linkId: number) => Promise<Totals>,
  request: Pick<FastifyRequest, 'log'>,
  linkId: number,
): Promise<Totals | undefined> {
  return unlessFailed(request, read(linkId), 'a page is shown without the totals')
}

/** What a page is shown without when it fails: then undefined, and a line of the log. */
export async function unlessFailed<T>(
  { log }: Pick<FastifyRequest, 'log'>,
  loading: Promise<T>,
  text: string,
): Promise<T | undefined> {
  try {
    return await loading
  } catch (error) {
    warn(log, error, text)
    return undefined
  }
}

/**
 * Loads the statistics for a page that works without them, too.
 * @throws nothing: while they cannot be read, or the client has no free slot, they are undefined
 */
export async function loadStatistics(
  source: PageSource,
  request: Pick<FastifyRequest, 'query' | 'log'>,
): Promise<LoadedStatistics> {
  const now = source.now()
  const asked = pageQueryOf(request.query as Record<string, unknown>, now, true, source.isOfMany)
  try {
    return await readForPage(source, asked)
  } catch (error) {
    warn(request.log, error, 'a page is shown without the statistics')
    return { ...asked, stats: undefined, now }
  }
}

/** Logs what failed, but not that a client has no free slot: under overload that would be a line for each page. */
function warn(log: FastifyRequest['log'], error: unknown, text: string): void {
  if (!(error instanceof Problem)) log.warn(error, text)
}
