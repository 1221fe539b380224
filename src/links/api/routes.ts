import type { FastifyReply } from 'fastify'
import { Type, type Static } from '#typebox'
import { BODY_LIMIT } from '../../http/body.ts'
import { problems } from '../../http/problem-schema.ts'
import { sends } from '../../http/response-headers.ts'
import { route, type Route } from '../../http/route.ts'
import { requireKnownMembers } from '../../http/unknown-input.ts'
import { ownerRoutes, credentialOf, type ManageRequest, type OwnerRoutes } from './owner-routes.ts'
import { clientOf, type WriteNeeds } from './write-needs.ts'
import { creationHooks, creationSecurity, type CreationHooksNeeds } from './creation-hooks.ts'
import type { Credential } from '../credential.ts'
import type { OwnedLink } from '../design.ts'
import { collectionOf, creationHeaders, idempotentRequest, looksHeader } from './idempotency-header.ts'
import { details } from '../details.ts'
import { entityTag, type StatedTotals } from '../link.ts'
import { warnsOfTrimmed } from './trimmed-warning.ts'
import { createdBody, creationBody, deletedBody, detailsBody, updateBody } from '../schemas.ts'

/** What the routes of links need of the rest of the program. */
export interface LinkRoutesNeeds extends WriteNeeds {
  /** The totals of a link, for its details. */
  totals: (linkId: number) => Promise<StatedTotals>
}

const tags = ['Links']
/** A design may hold a logo of 256 KiB, in base64. */
const DESIGNED_BODY_LIMIT = 2 * BODY_LIMIT

const creationProblems = problems(
  'unscannable',
  'collection_not_found',
  'collection_full',
  'alias_taken',
  'alias_reserved',
  'target_blocked',
)

/** Of a request without a body. */
const EMPTY_BODY_LIMIT = 1024

/** `POST /api/links` */
export function creationRoute(needs: CreationHooksNeeds): Route {
  return route({
    config: { work: 'creations' },
    ...creationHooks(needs, 'links'),
    bodyLimit: DESIGNED_BODY_LIMIT,
    schema: {
      summary: 'Create a link',
      operationId: 'createLink',
      description:
        'No credential is needed, unless the operator has chosen that creation needs an access code (`CREATE=token`). ' +
        "A kind's own fields may also stand inside `payload`.",
      tags,
      security: creationSecurity,
      headers: creationHeaders,
      body: creationBody,
      response: {
        201: {
          description: 'The link was created.',
          headers: sends('Location'),
          content: { 'application/json': { schema: createdBody } },
        },
        ...creationProblems,
      },
    },
    async handler(request, reply) {
      const created = await needs.links.create(request.body, clientOf(needs, request, reply), {
        idempotentRequest: idempotentRequest(request),
        collection: collectionOf(request),
        onTrimmed: warnsOfTrimmed(request, reply),
      })
      return reply.code(201).headers({ location: created.short_url, 'cache-control': 'no-store' }).send(created)
    },
  })
}

/** The routes of a link's owner: `/api/manage/<token>`, or `/api/manage` with the token in a header. */
export function manageRoutes(needs: LinkRoutesNeeds): Record<'read' | 'change' | 'delete' | 'undelete', OwnerRoutes> {
  return {
    read: readRoutes(needs),
    change: changeRoutes(needs),
    delete: deletionRoutes(needs),
    undelete: undeletionRoutes(needs),
  }
}

export const ifMatch = Type.Object({
  'if-match': Type.Optional(Type.String({ description: 'Only change the revision with this ETag.' })),
})

const detailsResponse = (description: string) => ({
  description,
  headers: sends('ETag'),
  content: { 'application/json': { schema: detailsBody } },
})
export const changedResponse = detailsResponse('The details after the change.')

function readRoutes(needs: LinkRoutesNeeds): OwnerRoutes {
  return ownerRoutes({
    // The totals in the details wait for the warehouse.
    config: { work: 'statistics' },
    schema: {
      summary: 'Read a link',
      operationId: 'readLink',
      tags,
      response: {
        200: detailsResponse('The details.'),
        ...problems('unknown_token', 'link_deleted'),
      },
    },
    handler: async (request, reply) =>
      sendDetails(needs, request, reply, await needs.links.readByToken(credentialOf(request))),
  })
}

function changeRoutes(needs: LinkRoutesNeeds): OwnerRoutes {
  const { links } = needs
  return ownerRoutes({
    config: { work: 'creations', isCharged: true },
    bodyLimit: DESIGNED_BODY_LIMIT,
    schema: {
      summary: 'Change a link',
      operationId: 'changeLink',
      tags,
      headers: Type.Object({ ...ifMatch.properties, ...looksHeader.properties }),
      body: updateBody,
      response: {
        200: changedResponse,
        ...problems(
          'unscannable',
          'unknown_token',
          'link_deleted',
          'collection_not_found',
          'link_removed',
          'target_blocked',
        ),
      },
    },
    // A wrong token gets its response before the body is read. The link is read again later, not held in memory: it may be
    // large, and the client may send the body slowly.
    onRequest: (request) => links.requireToken(credentialOf(request)),
    async handler(request, reply) {
      const credential = credentialOf(request)
      const owned = await links.readByToken(credential)
      requireKnownMembers(request, { kind: owned.link.kind })
      const changed = await links.change(owned, request.body, clientOf(needs, request, reply), {
        ifMatch: request.headers['if-match'],
        collection: typeof credential === 'string' ? collectionOf(request) : credential.collectionToken,
        onTrimmed: warnsOfTrimmed(request, reply),
      })
      return sendDetails(needs, request, reply, changed)
    },
  })
}

function deletionRoutes({ links }: LinkRoutesNeeds): OwnerRoutes {
  return ownerRoutes({
    config: { work: 'creations' },
    schema: {
      summary: 'Delete a link with its scans, its design and its history',
      operationId: 'deleteLink',
      description:
        'For good, unless `undo=true`: then `POST …/undelete` brings it back for 24 hours, in which visits are 410 and every ' +
        'other request of its owner is 410 `link_deleted`.',
      tags,
      headers: ifMatch,
      querystring: deletionQuery,
      response: {
        200: { description: 'The link was deleted.', content: { 'application/json': { schema: deletedBody } } },
        ...problems('unknown_token', 'link_deleted'),
      },
    },
    handler: (request) => deletionOf(links, request, credentialOf(request)),
  })
}

/** The parameter of deletions. */
export const undoParameter = Type.Optional(
  Type.Boolean({ description: 'Let the link be brought back for 24 hours by `POST …/undelete`.' }),
)
const deletionQuery = Type.Object({ undo: undoParameter })

/** Deletes a link as its request says. */
export async function deletionOf(
  links: Pick<LinkRoutesNeeds['links'], 'delete' | 'deleteWithUndo'>,
  request: ManageRequest,
  credential: Credential,
): Promise<Static<typeof deletedBody>> {
  const ifMatchHeader = request.headers['if-match']
  if ((request.query as Static<typeof deletionQuery>).undo !== true)
    return { deleted: true, code: (await links.delete(credential, ifMatchHeader)).code }
  const { code, undoUntil } = await links.deleteWithUndo(credential, ifMatchHeader)
  return { deleted: true, code, undo_until: undoUntil }
}

function undeletionRoutes(needs: LinkRoutesNeeds): OwnerRoutes {
  return ownerRoutes({
    config: { work: 'creations', isCharged: true },
    bodyLimit: EMPTY_BODY_LIMIT,
    schema: {
      summary: 'Bring a deleted link back',
      operationId: 'undeleteLink',
      description:
        'For 24 hours after a deletion with `undo=true`: with its scans, design, history, shares, webhook and collections. ' +
        'Counts as a change. A link that is not deleted stays as it is.',
      tags,
      response: { 200: detailsResponse('The details of the link.'), ...problems('unknown_token') },
    },
    async handler(request, reply) {
      const credential = credentialOf(request)
      return sendDetails(needs, request, reply, await needs.links.undelete(credential, clientOf(needs, request, reply)))
    },
  })
}

export async function sendDetails(
  { totals, origin }: Pick<LinkRoutesNeeds, 'totals' | 'origin'>,
  request: ManageRequest,
  reply: FastifyReply,
  owned: OwnedLink,
): Promise<FastifyReply> {
  const { link } = owned
  const options = { token: credentialOf(request), origin: origin.of(request), ...(await totals(link.id)) }
  return reply.header('etag', entityTag(link)).send(details(owned, options))
}
