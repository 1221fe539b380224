import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { WriteNeeds } from './write-needs.ts'
import { idempotencyKey } from './idempotency-header.ts'

/** For the OpenAPI document: anyone may create, or whoever has a key of the operator. */
export const creationSecurity = [{}, { creationKey: [] }]

/** What routes that create need of the rest of the program. */
export interface CreationHooksNeeds extends WriteNeeds {
  /** A hook that refuses whom the operator does not let create. */
  mayCreate: onRequestAsyncHookHandler
}

/** The hooks of a route that creates: both refuse before the body is read. */
export function creationHooks({ limits, links, mayCreate }: CreationHooksNeeds, name: 'links' | 'bulk') {
  // A retry creates nothing: its client may have missed the response that has the token.
  const isRetry = async (request: FastifyRequest) => {
    const key = idempotencyKey(request)
    return key !== undefined && (await links.hasResponse(key))
  }
  const { onRequest = [], ...hooks } = limits.creation(name, isRetry)
  return { ...hooks, onRequest: [onRequest, mayCreate].flat() }
}
