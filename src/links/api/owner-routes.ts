import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type, type TObject } from '#typebox'
import { ownerHeaders } from '../../http/error-handler.ts'
import { Problem } from '../../http/problem.ts'
import { route, type Route } from '../../http/route.ts'

/** A route for the owner of a link. */
export interface OwnerRoute {
  Params: { token?: string; id?: string; code?: string }
}
export type ManageRequest = FastifyRequest<OwnerRoute>

/** A route with the token in its path, and its twin with the token in the Authorization header. */
export interface OwnerRoutes {
  byPath: Route
  byHeader: Route
}

/**
 * @param definition the route; its schema leaves out the token, and what holds for all owner routes
 * @param token describes the token
 */
export function ownerRoutes(
  definition: OwnerDefinition,
  token = 'The token from the creation of the link.',
): OwnerRoutes {
  const { schema, ...rest } = definition
  const shared = { ...rest, onSend: forbidCaching }
  const params = Type.Object({ token: Type.String({ description: token }), ...schema.params?.properties })
  const byHeader = { ...schema, operationId: `${schema.operationId}ByHeader`, security: [{ token: [] }] }
  return {
    byPath: route<OwnerRoute>({ ...shared, schema: { ...schema, params } }),
    byHeader: route<OwnerRoute>({ ...shared, schema: byHeader }),
  }
}

type OwnerDefinition = Omit<Route, 'handler' | 'onRequest' | 'schema'> & {
  /** Its `params` are those after the token. */
  schema: { operationId: string; params?: TObject; [name: string]: unknown }
  onRequest?: (request: ManageRequest) => Promise<void>
  handler: (request: ManageRequest, reply: FastifyReply) => Promise<unknown>
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

export async function forbidCaching(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers(ownerHeaders)
}
