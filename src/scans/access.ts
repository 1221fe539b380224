import type { TProperties, TSchema } from '#typebox'
import type { FastifyReply } from 'fastify'
import type { ManageRequest } from '../links/api/owner-routes.ts'
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

/** Several links whose scans may be read together: they answer for themselves. */
export interface ReadableLinks {
  readStats: (request: ManageRequest) => Promise<object>
  sendScans: (request: ManageRequest, reply: FastifyReply, ending: 'csv' | 'ndjson') => Promise<FastifyReply>
}

/** The campaign that is asked for: only several links have some. */
export interface CampaignParameter {
  campaign?: string
}

/** The parameters of statistics that not every token may have. */
export interface DetailParameters extends Filters, CampaignParameter {
  interval?: string
  compare?: string
  heat?: boolean
  limit?: number
}

/** Who reads statistics by a token, and how the OpenAPI document says that. */
export interface ScansAccess {
  /**
   * The link, or the links, of a token whose statistics are read with these parameters.
   * @throws {Problem} 404 when no link has the token; what `refusals` names
   */
  findWithStats: (token: Credential, parameters: DetailParameters) => Promise<ReadableLink | ReadableLinks>
  /** The same for the export of single scans. */
  findWithScans: (token: Credential, parameters: CampaignParameter) => Promise<ReadableLink | ReadableLinks>
  refusals: ProblemCode[]
  /** Describes the token; undefined for that of the owner. */
  token?: string
  /** What several links add to the query of both, and their statistics. */
  ofMany?: { query: TProperties; body: TSchema }
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
