import { Problem } from '../http/problem.ts'
import type { ScansAccess } from '../scans/access.ts'
import type { Shares } from './open.ts'

/** The access of whoever has the token of a share. */
export function shareAccess({ findByToken }: Shares): ScansAccess {
  return {
    findByToken,
    async findWithScans(token) {
      const link = await findByToken(token)
      if (link.csv) return link
      throw new Problem('forbidden', 'the owner of the link has not included the single scans in this share')
    },
    refusals: ['forbidden'],
    token: 'The token of the share.',
    stats: { summary: 'Read the statistics of a shared link', operationId: 'readSharedStats' },
    scans: { summary: 'Export the raw scans of a shared link', operationId: 'exportSharedScans' },
  }
}
