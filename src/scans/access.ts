import type { Filters } from './statistics/stats-query.ts'
import type { ProblemCode } from '../http/problem.ts'
import type { Credential } from '../links/credential.ts'
import type { Links } from '../links/open.ts'

/** A link whose scans may be read. */
export interface ReadableLink {
  id: number
  code: string
  /** Where it leads, if the statistics say so. */
  destinations?: string[]
}

/** The parameters of statistics that not every token may have. */
export interface DetailParameters extends Filters {
  interval?: string
  compare?: string
  heat?: boolean
  limit?: number
}

/** Who reads statistics by a token, and how the OpenAPI document says that. */
export interface ScansAccess {
  /**
   * The link of a token whose statistics are read with these parameters.
   * @throws {Problem} 404 when no link has the token; what `refusals` names
   */
  findWithStats: (token: Credential, parameters: DetailParameters) => Promise<ReadableLink>
  /** The same for the export of single scans. */
  findWithScans: (token: Credential) => Promise<ReadableLink>
  refusals: ProblemCode[]
  /** Describes the token; undefined for that of the owner. */
  token?: string
  stats: { summary: string; operationId: string }
  /** By the ending of the file. */
  scans: Record<'csv' | 'ndjson', { summary: string; operationId: string }>
}

/** The access of a link's owner. */
export function ownerAccess({ findByToken }: Pick<Links, 'findByToken'>): ScansAccess {
  const find = async (token: Credential) => {
    const { id, code } = await findByToken(token)
    return { id, code }
  }
  return {
    findWithStats: find,
    findWithScans: find,
    refusals: ['link_deleted'],
    stats: { summary: 'Read the statistics of a link', operationId: 'readStats' },
    scans: {
      csv: { summary: 'Export the raw scans of a link', operationId: 'exportScans' },
      ndjson: { summary: 'Export the raw scans of a link as JSON lines', operationId: 'exportScansNdjson' },
    },
  }
}
