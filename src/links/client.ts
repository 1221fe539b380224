import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { Problem } from '../http/problem.ts'
import type { Holder } from '../lib/holder.ts'
import { chargeAll, chargesRoom, type Charge, type Refund } from '../lib/charged.ts'

/** Who asks for a link to be created or changed: the work is charged to this client, and waits in its name. */
export interface Client {
  /** The origin of the URLs in the response, and of the short URL in an image. */
  origin: string
  /** To be kept no longer than the request lasts. */
  holder: Holder
  /** Charges one of the client's quotas; rejects when fewer units are left. */
  charge: (name: 'links' | 'changes' | 'bulk' | 'aliases' | 'qr', units?: number) => Promise<Refund>
  /** Charges what is about to be stored while the disk is nearly full: see `FairUse`. */
  chargeRoom: (bytesOf: () => number) => Promise<void>
  /** Called when many codes wait for threads, whose queue bounds them from then on. */
  onQueued?: (() => void) | undefined
}

/** Bytes that a response takes besides what a client chose, about, which is stored for retries with its keys. */
export const RESPONSE_BYTES = 1024

/** Charges a response that is stored for retries, as the creation of a link. */
export function chargeResponse(client: Pick<Client, 'charge' | 'chargeRoom'>): Charge {
  return chargeAll([() => client.charge('links'), chargesRoom(client, () => RESPONSE_BYTES)])
}

/** The quotas of clients, as links use them. */
export interface ClientLimits {
  charge: (
    request: FastifyRequest,
    reply: FastifyReply,
    name: 'links' | 'changes' | 'bulk' | 'aliases' | 'qr',
    units?: number,
  ) => Promise<Refund>
  chargeRoom: (request: FastifyRequest, reply: FastifyReply, bytesOf: () => number) => Promise<void>
  /** Charges an unknown code or token; returns the problem to send instead when the quota is used up. */
  chargeNotFound: (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined>
  /** Who a request counts for in pools and queues; to be kept no longer than the request lasts. */
  holderOf: (request: FastifyRequest) => Holder
  /**
   * Hooks for a route that creates or changes: each refused request is charged. `isFree` lets a request pass although the
   * quota of failures is used up.
   */
  creation: (
    name: 'links' | 'bulk' | 'misses',
    isFree?: (request: FastifyRequest) => Promise<boolean>,
  ) => Pick<RouteShorthandOptions, 'onRequest' | 'onSend'>
}
