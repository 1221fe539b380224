import type { FastifyReply, FastifyRequest } from 'fastify'
import { disconnectSignal } from '../http/client-disconnect.ts'
import type { Requester } from './pool/queue.ts'

/** The client of a request for an image. While the image waits for a thread, the request holds no slot of other images. */
export function requesterOf(
  clientOf: (request: FastifyRequest) => string,
  request: FastifyRequest,
  reply: FastifyReply,
): Requester {
  return { client: clientOf(request), signal: disconnectSignal(reply), onQueued: () => request.endWork?.() }
}
