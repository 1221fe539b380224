import type { FastifyRequest } from 'fastify'
import { Problem } from '../../http/problem.ts'
import { isTimeZone } from '../../lib/time-zone.ts'
import type { Totals } from '../../links/link.ts'
import { readLatestStats, type StatsSources } from '../../scans/api/routes.ts'
import type { LoadedStatistics, PageQuery } from './view.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 365
const MAX_ZONE = 64

/** Reads the window from the query of a page. An invalid field gets its default: the rest of the page needs none of them. */
export function pageQueryOf(query: Record<string, unknown>): PageQuery {
  const text = (name: string) => (typeof query[name] === 'string' ? query[name] : '')
  const days = Number(text('days'))
  const [tz, audience] = [text('tz'), text('audience')]
  return {
    days: Number.isInteger(days) && days >= 1 && days <= MAX_DAYS ? days : DEFAULT_DAYS,
    tz: tz !== '' && tz.length <= MAX_ZONE && isTimeZone(tz) ? tz : 'UTC',
    audience: audience === 'all' || audience === 'bot' ? audience : 'human',
  }
}

/**
 * Loads the totals of a link for a page that works without them, too.
 * @throws nothing: while they cannot be read, they are undefined
 */
export async function loadTotals(
  read: (linkId: number) => Promise<Totals>,
  { log }: Pick<FastifyRequest, 'log'>,
  linkId: number,
): Promise<Totals | undefined> {
  try {
    return await read(linkId)
  } catch (error) {
    warn(log, error, 'a page is shown without the totals')
    return undefined
  }
}

/**
 * Loads the statistics for a page that works without them, too.
 * @throws nothing: while they cannot be read, or the client has no free slot, they are undefined
 */
export async function loadStatistics(
  reading: StatsSources,
  request: Pick<FastifyRequest, 'raw' | 'query' | 'log'>,
  linkId: number,
): Promise<LoadedStatistics> {
  const query = pageQueryOf(request.query as Record<string, unknown>)
  const now = reading.now()
  try {
    const stats = await readLatestStats(reading, request, linkId, { ...query, previous: true })
    return { query, stats, now }
  } catch (error) {
    warn(request.log, error, 'a page is shown without the statistics')
    return { query, stats: undefined, now }
  }
}

/** Logs what failed, but not that a client has no free slot: under overload that would be a line for each page. */
function warn(log: FastifyRequest['log'], error: unknown, text: string): void {
  if (!(error instanceof Problem)) log.warn(error, text)
}
