import { Type, type Static } from '#typebox'
import { asObject } from '../http/body.ts'
import { problems } from '../http/problem-schema.ts'
import { invalidRequest } from '../http/problem.ts'
import { createValidator } from '../http/validate.ts'
import { ownerRoutes, credentialOf, type ManageRequest, type OwnerRoutes } from '../links/api/owner-routes.ts'
import { clientOf, type WriteNeeds } from '../links/api/write-needs.ts'
import { idempotencyHeader, idempotentRequest } from '../links/api/idempotency-header.ts'
import type { IdempotentRequest } from '../links/idempotency/idempotency.ts'
import { MAX_SHARES } from './bounds.ts'
import type { ShareOptions, Shares } from './open.ts'
import { createdShareBody, revokedBody, shareBody, sharesBody } from './schemas.ts'
import type { Share } from './store.ts'

/** What the routes need of the rest of the program. */
export interface ShareRoutesNeeds extends WriteNeeds {
  shares: Shares
}

const tags = ['Shares']
const validate = createValidator(shareBody)

/** How a link's owner shares its statistics: `/api/manage/<token>/share` and `/api/manage/<token>/shares`. */
export function shareRoutes(needs: ShareRoutesNeeds): Record<'create' | 'list' | 'revoke', OwnerRoutes> {
  return { create: creationRoutes(needs), list: listRoutes(needs), revoke: revocationRoutes(needs) }
}

function creationRoutes(needs: ShareRoutesNeeds): OwnerRoutes {
  const { shares, links } = needs
  return ownerRoutes({
    config: { work: 'creations', isCharged: true },
    schema: {
      summary: 'Share the statistics of a link',
      operationId: 'createShare',
      description: `Creates a token that only reads the statistics. A link has at most ${MAX_SHARES} shares. The body is optional.`,
      tags,
      headers: idempotencyHeader,
      body: shareBody,
      response: {
        201: { description: 'The share was created.', content: { 'application/json': { schema: createdShareBody } } },
        ...problems('unknown_token', 'link_deleted', 'too_many_shares'),
      },
    },
    // A wrong token gets its response before the body is read.
    onRequest: (request) => links.requireToken(credentialOf(request)),
    async handler(request, reply) {
      const { id } = await links.findByToken(credentialOf(request))
      const repeatable = repeatableRequest(request, id)
      const client = clientOf(needs, request, reply)
      const { share, token } = await shares.create(id, optionsOf(request), client, repeatable)
      return reply.code(201).send({ share_url: `${client.origin}/s/${token}`, share_token: token, ...viewOf(share) })
    },
  })
}

/** @throws {Problem} 400 for an invalid field */
function optionsOf({ body, headers }: ManageRequest): ShareOptions {
  const isEmpty = body === undefined || headers['content-type'] === undefined
  const fields = isEmpty ? {} : asObject(body)
  const errors = validate(fields)
  if (errors.length > 0) throw invalidRequest(errors)
  const { name = null, csv = false, destination = false } = fields as Static<typeof shareBody>
  return { name, csv, destination }
}

/** The path does not name the link when the token is in a header. */
function repeatableRequest(request: ManageRequest, linkId: number): IdempotentRequest | undefined {
  const found = idempotentRequest(request)
  return found && { ...found, request: JSON.stringify([linkId, found.request]) }
}

function viewOf({ id, name, csv, destination, createdAt }: Share) {
  return { id, name, csv, destination, created_at: new Date(createdAt).toISOString() }
}

function listRoutes({ shares, links }: ShareRoutesNeeds): OwnerRoutes {
  return ownerRoutes({
    config: { work: 'pages' },
    schema: {
      summary: 'List the shares of a link',
      operationId: 'listShares',
      tags,
      response: {
        200: {
          description: 'The shares, without their tokens.',
          content: { 'application/json': { schema: sharesBody } },
        },
        ...problems('unknown_token', 'link_deleted'),
      },
    },
    async handler(request) {
      const { id } = await links.findByToken(credentialOf(request))
      return { shares: (await shares.list(id)).map(viewOf) }
    },
  })
}

function revocationRoutes({ shares, links }: ShareRoutesNeeds): OwnerRoutes {
  const routes = ownerRoutes({
    config: { work: 'creations' },
    schema: {
      summary: 'Revoke a share',
      operationId: 'revokeShare',
      description: '`DELETE /api/manage/shares/{id}` takes the token as `Authorization: Bearer`.',
      tags,
      params: Type.Object({ id: Type.String({ description: 'The id of the share.' }) }),
      response: {
        200: { description: 'The share was revoked.', content: { 'application/json': { schema: revokedBody } } },
        ...problems('unknown_token', 'link_deleted', 'unknown_share'),
      },
    },
    async handler(request) {
      const { id: shareId = '' } = request.params
      const { id } = await links.findByToken(credentialOf(request))
      await shares.revoke(id, shareId)
      return { deleted: true, id: shareId }
    },
  })
  // In OpenAPI its path would be ambiguous: `/api/manage/{token}/stats` matches it, too.
  return { ...routes, byHeader: { ...routes.byHeader, schema: { hide: true } } }
}
