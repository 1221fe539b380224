import { Type } from '#typebox'
import type { Collections } from '../collections/open.ts'
import { COLLECTION_TOKEN } from '../collections/schemas.ts'
import { problems } from '../http/problem-schema.ts'
import { idempotencyHeader, idempotentRequest } from '../links/api/idempotency-header.ts'
import { ownerRoutes, tokenOf, type ManageRequest, type OwnerRoutes } from '../links/api/owner-routes.ts'
import { clientOf, type WriteNeeds } from '../links/api/write-needs.ts'
import type { IdempotentRequest } from '../links/idempotency/idempotency.ts'
import { MAX_SHARES } from './bounds.ts'
import { collectionShareOptions } from './collection-options.ts'
import type { CollectionShare } from './collection-store.ts'
import type { CollectionShareOptions } from './of-collections.ts'
import type { Shares } from './open.ts'
import { collectionShareBody, collectionSharesBody, createdCollectionShareBody, revokedBody } from './schemas.ts'

/** What the routes need of the rest of the program. */
export interface CollectionShareRoutesNeeds extends WriteNeeds {
  shares: Pick<Shares, 'ofCollections'>
  collections: Pick<Collections, 'find'>
}

const tags = ['Shares']

/** How the owner of a collection shares its statistics: `/api/collections/<token>/share` and `/api/collections/<token>/shares`. */
export function collectionShareRoutes(
  needs: CollectionShareRoutesNeeds,
): Record<'create' | 'list' | 'revoke', OwnerRoutes> {
  return { create: creationRoutes(needs), list: listRoutes(needs), revoke: revocationRoutes(needs) }
}

function creationRoutes(needs: CollectionShareRoutesNeeds): OwnerRoutes {
  const { shares, collections } = needs
  return ownerRoutes(
    {
      config: { work: 'creations', isCharged: true },
      schema: {
        summary: 'Share the statistics of a collection',
        operationId: 'createCollectionShare',
        description:
          'Creates a token that only reads the statistics of its links, or of a campaign, and the names and codes of these. ' +
          `A collection has at most ${MAX_SHARES} shares. The body is optional.`,
        tags,
        headers: idempotencyHeader,
        body: collectionShareBody,
        response: {
          201: {
            description: 'The share was created.',
            content: { 'application/json': { schema: createdCollectionShareBody } },
          },
          ...problems('collection_not_found', 'too_many_shares'),
        },
      },
      // A wrong token gets its response before the body is read.
      onRequest: async (request) => void (await collections.find(tokenOf(request))),
      async handler(request, reply) {
        const { id } = await collections.find(tokenOf(request))
        const client = clientOf(needs, request, reply)
        const options = optionsOf(request)
        const { share, token } = await shares.ofCollections.create(id, options, client, repeatable(request, id))
        return reply.code(201).send({ share_url: `${client.origin}/s/${token}`, share_token: token, ...viewOf(share) })
      },
    },
    COLLECTION_TOKEN,
  )
}

/** @throws {Problem} 400 for an invalid field */
function optionsOf({ body, headers }: ManageRequest): CollectionShareOptions {
  const isEmpty = body === undefined || headers['content-type'] === undefined
  return collectionShareOptions(isEmpty ? {} : body)
}

/** The path does not name the collection when the token is in a header, and its token may be replaced. */
function repeatable(request: ManageRequest, collectionId: string): IdempotentRequest | undefined {
  const found = idempotentRequest(request)
  return found && { ...found, request: JSON.stringify([collectionId, found.request]) }
}

function viewOf({ id, name, campaign, csv, destination, createdAt }: CollectionShare) {
  return { id, name, campaign, csv, destination, created_at: new Date(createdAt).toISOString() }
}

function listRoutes({ shares, collections }: CollectionShareRoutesNeeds): OwnerRoutes {
  return ownerRoutes(
    {
      config: { work: 'pages' },
      schema: {
        summary: 'List the shares of a collection',
        operationId: 'listCollectionShares',
        tags,
        response: {
          200: {
            description: 'The shares, without their tokens.',
            content: { 'application/json': { schema: collectionSharesBody } },
          },
          ...problems('collection_not_found'),
        },
      },
      async handler(request) {
        const { id } = await collections.find(tokenOf(request))
        return { shares: (await shares.ofCollections.list(id)).map(viewOf) }
      },
    },
    COLLECTION_TOKEN,
  )
}

function revocationRoutes({ shares, collections }: CollectionShareRoutesNeeds): OwnerRoutes {
  const routes = ownerRoutes(
    {
      config: { work: 'creations' },
      schema: {
        summary: 'Revoke a share of a collection',
        operationId: 'revokeCollectionShare',
        description: '`DELETE /api/collections/shares/{id}` takes the token as `Authorization: Bearer`.',
        tags,
        params: Type.Object({ id: Type.String({ description: 'The id of the share.' }) }),
        response: {
          200: { description: 'The share was revoked.', content: { 'application/json': { schema: revokedBody } } },
          ...problems('collection_not_found', 'unknown_share'),
        },
      },
      async handler(request) {
        const { id: shareId = '' } = request.params
        const { id } = await collections.find(tokenOf(request))
        await shares.ofCollections.revoke(id, shareId)
        return { deleted: true, id: shareId }
      },
    },
    COLLECTION_TOKEN,
  )
  // In OpenAPI its path would be ambiguous: `/api/collections/{token}/stats` matches it, too.
  return { ...routes, byHeader: { ...routes.byHeader, schema: { hide: true } } }
}
