import { campaignQuery } from '../collections/campaign-query.ts'
import { dimensionNames } from '../dimensions/dimensions.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import type { CampaignParameter, DetailParameters, ScansAccess } from '../scans/access.ts'
import { readableLinks, type SharedLinksNeeds } from './links-of-share.ts'
import type { SharedLink, SharedLinks, Shares } from './open.ts'
import { sharedStatsBody } from './schemas.ts'

/** The access of whoever has the token of a share. */
export function shareAccess({
  shares,
  ...needs
}: SharedLinksNeeds & { shares: Pick<Shares, 'findByToken'> }): ScansAccess {
  const readable = (shared: SharedLink | SharedLinks, { campaign }: CampaignParameter) => {
    if ('collection' in shared) return readableLinks(needs, shared)
    if (campaign === undefined) return shared
    throw invalidRequest([{ pointer: '/campaign', detail: 'must be absent: the share is of one link' }])
  }
  return {
    async findWithStats(token, parameters) {
      const shared = await shares.findByToken(token)
      if (!shared.csv) requireNoDetails(parameters)
      return readable(shared, parameters)
    },
    async findWithScans(token, parameters) {
      const shared = await shares.findByToken(token)
      if (shared.csv) return readable(shared, parameters)
      throw new Problem('forbidden', 'the owner has not included the single scans in this share')
    },
    ofMany: { query: campaignQuery, body: sharedStatsBody },
    refusals: ['forbidden'],
    token: 'The token of the share.',
    stats: { summary: 'Read the statistics of a shared link, or of shared links', operationId: 'readSharedStats' },
    scans: {
      csv: { summary: 'Export the raw scans of a shared link, or of shared links', operationId: 'exportSharedScans' },
      ndjson: {
        summary: 'Export the raw scans of a shared link, or of shared links, as JSON lines',
        operationId: 'exportSharedScansNdjson',
      },
    },
  }
}

/** By a placement, which the owner has chosen, everyone may filter. */
const detailFilters = dimensionNames.filter((name) => name !== 'placement')

/**
 * Refuses what comes so close to single scans that only shares with these have it.
 * @throws {Problem} 403 that names the parameters
 */
function requireNoDetails({ interval, heat = false, ...parameters }: DetailParameters): void {
  const isGiven = (['compare', 'limit', ...detailFilters] as const).map((name) => [
    name,
    parameters[name] !== undefined,
  ])
  const asked = { interval: interval === 'hour', heat, ...(Object.fromEntries(isGiven) as Record<string, boolean>) }
  const names = Object.entries(asked).flatMap(([name, isAsked]) => (isAsked ? [name] : []))
  if (names.length === 0) return
  const detail = 'needs a share that includes the single scans'
  const errors = names.map((name) => ({ pointer: `/${name}`, detail }))
  throw new Problem('forbidden', `${names.join(', ')} ${detail}`, { errors })
}
