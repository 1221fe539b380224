import type { FastifyRequest } from 'fastify'
import type { StatsSources } from '../../scans/api/routes.ts'
import { readSharedStats, type SharedLinksNeeds } from '../../shares/links-of-share.ts'
import type { SharedLink, SharedLinks } from '../../shares/open.ts'
import type { Language } from '../../texts/language.ts'
import { statisticsTexts } from '../../texts/statistics.ts'
import { pageQueryOf, sourceOfLink, type Asked, type PageSource } from './load.ts'

/** What reads the statistics of a shared link, or of several. */
export type SharedReading = StatsSources & SharedLinksNeeds

/** What the page of a share shows of its statistics, as its address says. */
export function askedOfShare(query: Record<string, unknown>, now: number, shared: SharedLink | SharedLinks): Asked {
  if (!('collection' in shared)) return pageQueryOf(query, now, shared.csv)
  // A share of one campaign has no other.
  const own = shared.campaign === null ? query : { ...query, campaign: undefined }
  return pageQueryOf(own, now, shared.csv, true)
}

/** Where the page of a share reads its statistics. */
export function sourceOfShare(
  needs: SharedReading,
  request: Pick<FastifyRequest, 'raw'>,
  shared: SharedLink | SharedLinks,
): PageSource {
  if (!('collection' in shared)) return sourceOfLink(needs, request, shared.id)
  return {
    read: (parameters) => readSharedStats(needs, request, shared, parameters),
    now: needs.now,
    isOfMany: true,
  }
}

/** What a report calls the links. */
export function nameOfShared({ collection }: SharedLinks, language: Language): string {
  return collection.name?.trim() || statisticsTexts[language].shared.unnamed
}
