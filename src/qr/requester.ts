import type { FastifyReply, FastifyRequest } from 'fastify'
import { disconnectSignal } from '../http/client-disconnect.ts'
import type { Requester } from './pool/queue.ts'
import type { Holder } from '../lib/holder.ts'

/** The client of a request for an image. While the image waits for a thread, the request holds no slot of other images. */
export function requesterOf(
  holderOf: (request: FastifyRequest) => Holder,
  request: FastifyRequest,
  reply: FastifyReply,
): Requester {
  return { holder: holderOf(request), signal: disconnectSignal(reply), onQueued: () => request.endWork?.() }
}
