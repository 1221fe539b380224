import type { onRequestAsyncHookHandler } from 'fastify'
import type { CreationLimits } from './create.ts'

/** For the OpenAPI document: anyone may create, or whoever has a key of the operator. */
export const creationSecurity = [{}, { creationKey: [] }]

/** What routes that create need of the rest of the program. */
export interface CreationHooksNeeds {
  limits: Pick<CreationLimits, 'creation'>
  /** A hook that refuses whom the operator does not let create. */
  mayCreate: onRequestAsyncHookHandler
}

/** The hooks of a route that creates: both refuse before the body is read. */
export function creationHooks({ limits, mayCreate }: CreationHooksNeeds, name: 'links' | 'bulk') {
  const { onRequest = [], ...hooks } = limits.creation(name)
  return { ...hooks, onRequest: [onRequest, mayCreate].flat() }
}
