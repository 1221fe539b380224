import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../http/problem.ts'

/** A route to what belongs to a link's owner. */
export interface OwnerRoute {
  Params: { token?: string }
}
export type ManageRequest = FastifyRequest<OwnerRoute>

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
