import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from '#typebox'
import { Problem } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'

/** A route for the owner of a link. */
export interface OwnerRoute {
  Params: { token?: string }
}
export type ManageRequest = FastifyRequest<OwnerRoute>

/** A route with the token in its path, and its twin with the token in the Authorization header. */
export interface OwnerRoutes {
  byPath: Route
  byHeader: Route
}

const params = Type.Object({ token: Type.String({ description: 'The token from the creation of the link.' }) })

/** @param definition the route; its schema leaves out the token, and what holds for all owner routes */
export function ownerRoutes({
  schema,
  ...definition
}: Omit<Route, 'handler' | 'onRequest' | 'schema'> & {
  schema: { operationId: string; [name: string]: unknown }
  onRequest?: (request: ManageRequest) => Promise<void>
  handler: (request: ManageRequest, reply: FastifyReply) => Promise<unknown>
}): OwnerRoutes {
  const shared = { ...definition, onSend: forbidCaching }
  const byHeader = { ...schema, operationId: `${schema.operationId}ByHeader`, security: [{ token: [] }] }
  return {
    byPath: route<OwnerRoute>({ ...shared, schema: { ...schema, params } }),
    byHeader: route<OwnerRoute>({ ...shared, schema: byHeader }),
  }
}

/**
 * The token of a request: from its path or else from the Authorization header.
 * @throws {Problem} 404 when there is none
 */
export function tokenOf(request: ManageRequest): string {
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')
  const token = request.params.token ?? bearer?.[1]
  if (token !== undefined) return token
  throw new Problem('unknown_token', 'the request must have a token, in its path or as "Authorization: Bearer …"')
}

/** Responses for owners are private: caches, referred sites and search engines must not see them. */
export async function forbidCaching(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' })
}
