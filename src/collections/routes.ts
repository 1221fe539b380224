import { Type, type Static } from '#typebox'
import { BODY_LIMIT } from '../http/body.ts'
import { createBodyReader } from '../http/body-reader.ts'
import { problems } from '../http/problem-schema.ts'
import { invalidRequest } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import { creationHooks, creationSecurity, type CreationHooksNeeds } from '../links/api/creation-hooks.ts'
import { idempotencyHeader, idempotentRequest } from '../links/api/idempotency-header.ts'
import { forbidCaching, ownerRoutes, tokenOf, type ManageRequest, type OwnerRoutes } from '../links/api/owner-routes.ts'
import { deletionOf, ifMatch, undoParameter } from '../links/api/routes.ts'
import { deletedBody } from '../links/schemas.ts'
import { clientOf } from '../links/api/write-needs.ts'
import { warnsOfTrimmed } from '../links/api/trimmed-warning.ts'
import type { WebhookDetails } from '../links/webhook.ts'
import { MAX_ROWS } from '../links/bulk/bulk.ts'
import { MAX_COLLECTIONS, MAX_LINKS } from './bounds.ts'
import { listRoutes } from './list-routes.ts'
import { readCreation, readUpdate } from './read-collection.ts'
import type { Collections } from './open.ts'
import {
  COLLECTION_TOKEN,
  collectionBody,
  collectionDetails,
  collectionUpdate,
  createdCollectionBody,
  endedBody,
  joinBody,
  joinedBody,
  leftBody,
  rotatedCollectionBody,
} from './schemas.ts'
import type { Collection } from './store.ts'
import { countingFor, type TotalsNeeds } from './totals.ts'

/** What the routes need of the rest of the program. */
export interface CollectionRoutesNeeds extends CreationHooksNeeds {
  collections: Collections
  scans: TotalsNeeds['scans']
  limits: CreationHooksNeeds['limits'] & TotalsNeeds['limits']
}

const tags = ['Collections']

const readJoining = createBodyReader(joinBody)

/** Each route of collections. */
export interface CollectionRoutes {
  /** `POST /api/collections` */
  create: Route
  /** `GET`, `PUT` and `DELETE /api/collections/<token>` */
  read: OwnerRoutes
  change: OwnerRoutes
  remove: OwnerRoutes
  /** `POST /api/collections/<token>/rotate` */
  rotate: OwnerRoutes
  /** `GET` and `POST /api/collections/<token>/links` */
  list: OwnerRoutes
  join: OwnerRoutes
  /** `DELETE /api/collections/<token>/links/<code>` */
  leave: OwnerRoutes
}

export function collectionRoutes(needs: CollectionRoutesNeeds): CollectionRoutes {
  return {
    create: creationRoute(needs),
    read: readRoutes(needs),
    change: changeRoutes(needs),
    remove: removalRoutes(needs),
    rotate: rotationRoutes(needs),
    list: listRoutes(needs),
    join: joinRoutes(needs),
    leave: leaveRoutes(needs),
  }
}

function creationRoute(needs: CollectionRoutesNeeds): Route {
  const { onSend = [], ...hooks } = creationHooks(needs, 'links')
  return route({
    config: { work: 'creations' },
    ...hooks,
    onSend: [onSend, forbidCaching].flat(),
    schema: {
      summary: 'Create a collection',
      operationId: 'createCollection',
      description:
        `A collection is a set of up to ${MAX_LINKS.toLocaleString('en')} links with one token of its own. It counts as the creation of a ` +
        'link, and needs an access code where that does. The body is optional.',
      tags,
      security: creationSecurity,
      headers: idempotencyHeader,
      body: collectionBody,
      response: {
        201: {
          description: 'The collection was created.',
          content: { 'application/json': { schema: createdCollectionBody } },
        },
      },
    },
    async handler(request, reply) {
      const { name = null } = request.body === undefined ? {} : readCreation(request.body)
      const client = clientOf(needs, request, reply)
      const { collection, token } = await needs.collections.create(name, client, idempotentRequest(request))
      return reply.code(201).send({ ...keysOf(token, client.origin), ...viewOf(collection) })
    },
  })
}

const viewOf = ({ name, createdAt }: Collection) => ({ name, created_at: new Date(createdAt).toISOString() })
const keysOf = (token: string, origin: string) => ({ token, manage_url: `${origin}/c/${token}` })

/** The details of a collection, with what is counted of its links. */
async function detailsOf(
  needs: CollectionRoutesNeeds,
  request: ManageRequest,
  collection: Collection,
  saved?: WebhookDetails | null,
) {
  const counting = countingFor(needs, request)
  const overview = await needs.collections.overview(collection, counting)
  const { links, campaigns, totals, as_of: asOf } = overview
  await counting.turn()
  return {
    ...viewOf(collection),
    links,
    campaigns,
    looks: await needs.collections.looksOf(collection),
    // Only what has just saved it tells the secret.
    webhook: saved === undefined ? await needs.collections.webhookOf(collection) : saved,
    totals,
    ...(asOf !== undefined && { as_of: asOf }),
  }
}

const detailsResponse = (description: string) => ({
  200: { description, content: { 'application/json': { schema: collectionDetails } } },
  ...problems('collection_not_found'),
})

function readRoutes(needs: CollectionRoutesNeeds): OwnerRoutes {
  return ownerRoutes(
    {
      config: { work: 'pages' },
      schema: {
        summary: 'Read a collection',
        operationId: 'readCollection',
        tags,
        response: detailsResponse('The collection.'),
      },
      handler: async (request) => detailsOf(needs, request, await needs.collections.find(tokenOf(request))),
    },
    COLLECTION_TOKEN,
  )
}

function changeRoutes(needs: CollectionRoutesNeeds): OwnerRoutes {
  const { collections } = needs
  return ownerRoutes(
    {
      config: { work: 'creations', isCharged: true },
      // A look may hold a logo of 256 KiB, in base64.
      bodyLimit: 2 * BODY_LIMIT,
      schema: {
        summary: 'Change a collection',
        operationId: 'changeCollection',
        tags,
        body: collectionUpdate,
        response: {
          ...detailsResponse('The collection after the change.'),
          ...problems('collection_not_found', 'unscannable', 'target_blocked'),
        },
      },
      // A wrong token gets its response before the body is read.
      onRequest: async (request) => void (await collections.find(tokenOf(request))),
      async handler(request, reply) {
        const { name, looks, webhook } = readUpdate(request.body)
        const [token, client] = [tokenOf(request), clientOf(needs, request, reply)]
        const draft =
          webhook === undefined ? undefined : collections.readWebhook(webhook, warnsOfTrimmed(request, reply))
        if (looks !== undefined) await collections.changeLooks(token, looks, client)
        const changed = await (name === undefined ? collections.find(token) : collections.rename(token, name, client))
        const saved = draft === undefined ? undefined : await collections.setWebhook(token, draft, client)
        return detailsOf(needs, request, changed, saved)
      },
    },
    COLLECTION_TOKEN,
  )
}

const removalQuery = Type.Object({
  links: Type.Optional(Type.Boolean({ description: 'Delete all its links first.' })),
})

function removalRoutes({ collections }: CollectionRoutesNeeds): OwnerRoutes {
  return ownerRoutes(
    {
      config: { work: 'batches' },
      schema: {
        summary: 'End a collection',
        operationId: 'endCollection',
        description:
          'Its links stay, and their own tokens work as before, unless `links=true`. Whatever interrupts the deletion of the links: the collection is ended last, so that repeating the request goes on.',
        tags,
        querystring: removalQuery,
        response: {
          200: { description: 'The collection was ended.', content: { 'application/json': { schema: endedBody } } },
          ...problems('collection_not_found'),
        },
      },
      async handler(request) {
        const token = tokenOf(request)
        const { links = false } = request.query as Static<typeof removalQuery>
        if (links) return { deleted: true, links: await collections.removeWithLinks(token) }
        await collections.remove(token)
        return { deleted: true }
      },
    },
    COLLECTION_TOKEN,
  )
}

/** The request has no body. */
const ROTATION_BODY_LIMIT = 1024

function rotationRoutes(needs: CollectionRoutesNeeds): OwnerRoutes {
  const { collections } = needs
  return ownerRoutes(
    {
      config: { work: 'creations', isCharged: true },
      bodyLimit: ROTATION_BODY_LIMIT,
      schema: {
        summary: 'Replace the token of a collection',
        operationId: 'rotateCollectionToken',
        description: 'The old token works until the new one is first used, but no longer than an hour.',
        tags,
        headers: idempotencyHeader,
        response: {
          200: { description: 'The new token.', content: { 'application/json': { schema: rotatedCollectionBody } } },
          ...problems('collection_not_found'),
        },
      },
      // A retry may come with a token that no longer works.
      onRequest: async (request) => {
        if (idempotentRequest(request) === undefined) await collections.find(tokenOf(request))
      },
      async handler(request, reply) {
        const client = clientOf(needs, request, reply)
        return keysOf(await collections.rotate(tokenOf(request), client, idempotentRequest(request)), client.origin)
      },
    },
    COLLECTION_TOKEN,
  )
}

function joinRoutes(needs: CollectionRoutesNeeds): OwnerRoutes {
  const { collections, limits } = needs
  return ownerRoutes(
    {
      config: { work: 'batches', isCharged: true },
      schema: {
        summary: 'Add links to a collection',
        operationId: 'joinCollection',
        description:
          `Adds the links of up to ${MAX_ROWS} tokens, each of which counts as a change. A link is in at most ${MAX_COLLECTIONS} collections: ` +
          'for one more it leaves the one that it has been in for longest.',
        tags,
        body: joinBody,
        response: {
          200: { description: 'What became of each.', content: { 'application/json': { schema: joinedBody } } },
          ...problems('collection_not_found'),
        },
      },
      onRequest: async (request) => void (await collections.find(tokenOf(request))),
      handler(request, reply) {
        const { tokens } = readJoining(request.body)
        const chargeNotFound = () => limits.chargeNotFound(request, reply)
        return collections.join(tokenOf(request), tokens, clientOf(needs, request, reply), chargeNotFound)
      },
    },
    COLLECTION_TOKEN,
  )
}

const leaveQuery = Type.Object({
  link: Type.Optional(Type.Boolean({ description: 'Delete the link itself, as `DELETE /api/manage/{token}` does.' })),
  undo: undoParameter,
})
type LeaveRequest = ManageRequest & { query: Static<typeof leaveQuery> }

function leaveRoutes({ collections, links }: CollectionRoutesNeeds): OwnerRoutes {
  const routes = ownerRoutes(
    {
      config: { work: 'creations' },
      schema: {
        summary: 'Take a link out of a collection, or delete it',
        operationId: 'leaveCollection',
        description:
          'The link stays, unless `link=true`. `DELETE /api/collections/links/{code}` takes the token as `Authorization: Bearer`.',
        tags,
        headers: ifMatch,
        querystring: leaveQuery,
        params: Type.Object({ code: Type.String({ description: 'The code of the link.' }) }),
        response: {
          200: {
            description: 'The link was taken out, or deleted.',
            content: { 'application/json': { schema: Type.Unsafe({ anyOf: [leftBody, deletedBody] }) } },
          },
          ...problems('collection_not_found', 'unknown_code', 'link_deleted'),
        },
      },
      async handler(request) {
        const { code: asked = '' } = request.params
        const token = tokenOf(request)
        const { link = false, undo = false } = (request as LeaveRequest).query
        if (link) return deletionOf(links, request, { collectionToken: token, code: asked })
        if (undo) throw invalidRequest([{ pointer: '/undo', detail: 'goes with link=true' }])
        await collections.leave(token, asked)
        return { removed: true, code: asked }
      },
    },
    COLLECTION_TOKEN,
  )
  // In OpenAPI its path would be ambiguous: `/api/collections/{token}/links` matches it, too.
  const { querystring } = routes.byPath.schema ?? {}
  return { ...routes, byHeader: { ...routes.byHeader, schema: { hide: true, querystring } } }
}
