import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Origin } from '../../http/origin.ts'
import type { Client, ClientLimits } from '../client.ts'
import type { Links } from '../open.ts'

/** What the routes and pages that create and change links need of the rest of the program. */
export interface WriteNeeds {
  links: Links
  origin: Origin
  limits: ClientLimits
}

export function clientOf({ origin, limits }: WriteNeeds, request: FastifyRequest, reply: FastifyReply): Client {
  return {
    origin: origin.of(request),
    holder: limits.holderOf(request),
    charge: (name, units) => limits.charge(request, reply, name, units),
    chargeRoom: (bytesOf) => limits.chargeRoom(request, reply, bytesOf),
    onQueued: () => request.endWork?.(),
  }
}
