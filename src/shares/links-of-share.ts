import { sendScansOf, type CollectionExportNeeds } from '../collections/export-routes.ts'
import type { LinkCount } from '../collections/breakdowns.ts'
import { readStatsOf, type CollectionStatsNeeds, type CollectionStatsParameters } from '../collections/stats-routes.ts'
import type { Database } from '../db/database.ts'
import { invalidRequest } from '../http/problem.ts'
import type { ManageRequest } from '../links/api/owner-routes.ts'
import { codeKey } from '../links/code.ts'
import { linksOfCodes } from '../links/look-up.ts'
import type { ReadableLinks } from '../scans/access.ts'
import { shownDestinations, type SharedLinks } from './open.ts'

/** What the statistics and exports of shared links need of the rest of the program. */
export type SharedLinksNeeds = CollectionStatsNeeds & CollectionExportNeeds & { db: Pick<Database, 'read'> }

/** Of how many links the statistics say where they lead: those with most scans. */
const MAX_DESTINATIONS = 100

/** The links of a share, which answer for themselves. */
export function readableLinks(needs: SharedLinksNeeds, shared: SharedLinks): ReadableLinks {
  return {
    readStats: (request) => readSharedStats(needs, request, shared, request.query as CollectionStatsParameters),
    async sendScans(request, reply, ending) {
      const { campaign } = request.query as Pick<CollectionStatsParameters, 'campaign'>
      return sendScansOf(needs, request, reply, {
        collection: shared.collection,
        campaign: campaignIn(shared, campaign),
        ending,
      })
    },
  }
}

/**
 * Reads the statistics of shared links, with where they lead if the share includes that.
 * @throws {Problem} 400 for an invalid parameter, 503 when no slot is free
 */
export async function readSharedStats(
  needs: SharedLinksNeeds,
  request: Pick<ManageRequest, 'raw'>,
  shared: SharedLinks,
  { campaign: asked, ...parameters }: CollectionStatsParameters,
) {
  const campaign = campaignIn(shared, asked)
  const stats = await readStatsOf(needs, request, shared.collection, {
    ...parameters,
    ...(campaign !== undefined && { campaign }),
  })
  if (!shared.destination) return stats
  const link = await withDestinations(needs.db, stats.breakdowns.link)
  return { ...stats, breakdowns: { ...stats.breakdowns, link } }
}

/** @throws {Problem} 400 when another campaign is asked for than the share has */
function campaignIn({ campaign }: SharedLinks, asked: string | undefined): string | undefined {
  if (campaign === null) return asked
  if (asked === undefined || asked === campaign) return campaign
  throw invalidRequest([{ pointer: '/campaign', detail: 'must be absent: the share has the links of one campaign' }])
}

async function withDestinations(db: SharedLinksNeeds['db'], counts: LinkCount[]) {
  const codes = counts.slice(0, MAX_DESTINATIONS).map(({ code }) => code)
  const links = await linksOfCodes({ db }, codes)
  return counts.map((count): LinkCount & { destinations?: string[] } => {
    const link = links.get(codeKey(count.code))
    const destinations = link && shownDestinations(link)
    return destinations === undefined ? count : { ...count, destinations }
  })
}
