import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type, type TObject } from '#typebox'
import { ownerHeaders } from '../../http/error-handler.ts'
import { Problem } from '../../http/problem.ts'
import { problems } from '../../http/problem-schema.ts'
import { route, type Route } from '../../http/route.ts'
import type { Credential } from '../credential.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the token of the request is that of a collection, and the path has the code of the link. */
    isOfCollection?: boolean
  }
}

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
 * The same routes for whoever has the token of a collection that the link is in.
 * @returns for `/api/collections/<token>/links/<code>/…`, and `/api/collections/links/<code>/…` with the token in a header
 */
export function inCollection({ byPath: own }: OwnerRoutes): OwnerRoutes {
  const schema = own.schema as OwnerDefinition['schema'] & { response: object }
  const params = Type.Object({
    token: Type.String({ description: 'The token of the collection.' }),
    code: Type.String({ description: 'The code of the link.' }),
    ...Type.Omit(schema.params ?? Type.Object({}), ['token']).properties,
  })
  const response = { ...schema.response, ...problems('collection_not_found') }
  const operationId = `${schema.operationId}InCollection`
  const shared: Route = { ...own, config: { ...own.config, isOfCollection: true } }
  return {
    byPath: { ...shared, schema: { ...schema, operationId, params, response } },
    // In OpenAPI its path would be ambiguous: `/api/collections/{token}/links` matches it, too. What it knows is the same.
    byHeader: { ...shared, schema: { hide: true, ...knownBy(schema) } },
  }
}

/** The parameters and members that a route knows. */
function knownBy({ querystring, body }: { [part: string]: unknown }): object {
  return { ...(querystring !== undefined && { querystring }), ...(body !== undefined && { body }) }
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

/** The same with the code of the path, where the token is that of a collection that the link is in. */
export function credentialOf(request: ManageRequest): Credential {
  const token = tokenOf(request)
  const { isOfCollection = false } = request.routeOptions.config
  return isOfCollection ? { collectionToken: token, code: request.params.code ?? '' } : token
}

export async function forbidCaching(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers(ownerHeaders)
}
