import { dimensionNames } from '../dimensions/dimensions.ts'
import { Problem } from '../http/problem.ts'
import type { DetailParameters, ScansAccess } from '../scans/access.ts'
import type { Shares } from './open.ts'

/** The access of whoever has the token of a share. */
export function shareAccess({ findByToken }: Shares): ScansAccess {
  return {
    async findWithStats(token, parameters) {
      const link = await findByToken(token)
      if (!link.csv) requireNoDetails(parameters)
      return link
    },
    async findWithScans(token) {
      const link = await findByToken(token)
      if (link.csv) return link
      throw new Problem('forbidden', 'the owner of the link has not included the single scans in this share')
    },
    refusals: ['forbidden'],
    token: 'The token of the share.',
    stats: { summary: 'Read the statistics of a shared link', operationId: 'readSharedStats' },
    scans: {
      csv: { summary: 'Export the raw scans of a shared link', operationId: 'exportSharedScans' },
      ndjson: {
        summary: 'Export the raw scans of a shared link as JSON lines',
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
