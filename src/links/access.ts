import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from '#typebox'
import { Problem } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'

/** A route to what belongs to a link's owner. */
export interface OwnerRoute {
  Params: { token?: string }
}
export type ManageRequest = FastifyRequest<OwnerRoute>

/** The same route with the token in its path, and with the token in the Authorization header. */
export interface OwnerRoutes {
  byPath: Route
  byHeader: Route
}

const params = Type.Object({ token: Type.String({ description: 'The token of the creation.' }) })

/** @param definition the route; its schema says neither how the token is told nor what is true of all routes of owners */
export function ownerRoutes({
  schema,
  ...definition
}: Omit<Route, 'handler' | 'onRequest' | 'schema'> & {
  schema: { operationId: string; [name: string]: unknown }
  onRequest?: (request: ManageRequest) => Promise<void>
  handler: (request: ManageRequest, reply: FastifyReply) => Promise<unknown>
}): OwnerRoutes {
  const shared = { ...definition, onSend: keepPrivate }
  const byHeader = { ...schema, operationId: `${schema.operationId}ByHeader`, security: [{ token: [] }] }
  return {
    byPath: route<OwnerRoute>({ ...shared, schema: { ...schema, params } }),
    byHeader: route<OwnerRoute>({ ...shared, schema: byHeader }),
  }
}

/**
 * The token of a request: in its path or, without one there, in the Authorization header.
 * @throws {Problem} 404 when there is none
 */
export function tokenOf(request: ManageRequest): string {
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')
  const token = request.params.token ?? bearer?.[1]
  if (token !== undefined) return token
  throw new Problem('unknown_token', 'the token must stand in the path, or in the header "Authorization: Bearer …"')
}

/** Whatever a token opens is for its owner only: not for caches, not for other sites, not for search engines. */
export async function keepPrivate(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' })
}
