import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CreationLimits } from '../create.ts'
import type { BulkOptions } from './bulk.ts'

/**
 * Charges a bulk request, and the codes that its valid rows choose: those stay taken for ever, also when their links are
 * deleted.
 */
export function chargeBulk(
  limits: Pick<CreationLimits, 'charge'>,
  request: FastifyRequest,
  reply: FastifyReply,
): BulkOptions['charge'] {
  return async (aliases) => {
    const refundAliases = aliases > 0 ? await limits.charge(request, reply, 'aliases', aliases) : async () => {}
    try {
      return { request: await limits.charge(request, reply, 'bulk'), aliases: refundAliases }
    } catch (error) {
      await refundAliases()
      throw error
    }
  }
}
