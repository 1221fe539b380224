import { problems } from '../../http/problem-schema.ts'
import { ownerRoutes, credentialOf, type OwnerRoutes } from './owner-routes.ts'
import { clientOf, type WriteNeeds } from './write-needs.ts'
import { idempotencyHeader, idempotentRequest } from './idempotency-header.ts'
import { rotatedBody } from '../schemas.ts'

/** The request has no body. */
const BODY_LIMIT = 1024

/** `POST /api/manage/<token>/rotate` */
export function rotationRoutes(needs: WriteNeeds): OwnerRoutes {
  const { links } = needs
  return ownerRoutes({
    config: { work: 'creations', isCharged: true },
    bodyLimit: BODY_LIMIT,
    schema: {
      summary: 'Replace the token of a link',
      operationId: 'rotateToken',
      description: 'The old token works until the new one is first used, but no longer than an hour.',
      tags: ['Links'],
      headers: idempotencyHeader,
      response: {
        200: { description: 'The new token.', content: { 'application/json': { schema: rotatedBody } } },
        ...problems('unknown_token', 'link_deleted'),
      },
    },
    // A retry may come with a token that no longer works.
    onRequest: async (request) => {
      if (idempotentRequest(request) === undefined) await links.requireToken(credentialOf(request))
    },
    handler: (request, reply) =>
      links.rotate(credentialOf(request), clientOf(needs, request, reply), {
        idempotentRequest: idempotentRequest(request),
      }),
  })
}
