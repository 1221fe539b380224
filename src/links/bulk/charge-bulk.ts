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
    const refunds: (() => Promise<void>)[] = []
    const refund = async () => {
      for (const each of refunds) await each()
    }
    try {
      if (aliases > 0) refunds.push(await limits.charge(request, reply, 'aliases', aliases))
      refunds.push(await limits.charge(request, reply, 'bulk'))
      return refund
    } catch (error) {
      await refund()
      throw error
    }
  }
}
