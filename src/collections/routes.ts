import { Type, type Static, type TSchema } from '#typebox'
import { asObject, BODY_LIMIT } from '../http/body.ts'
import { problems } from '../http/problem-schema.ts'
import { invalidRequest } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import { createValidator } from '../http/validate.ts'
import { creationHooks, creationSecurity, type CreationHooksNeeds } from '../links/api/creation-hooks.ts'
import { idempotencyHeader, idempotentRequest } from '../links/api/idempotency-header.ts'
import { forbidCaching, ownerRoutes, tokenOf, type ManageRequest, type OwnerRoutes } from '../links/api/owner-routes.ts'
import { ifMatch } from '../links/api/routes.ts'
import { deletedBody } from '../links/schemas.ts'
import { clientOf } from '../links/api/write-needs.ts'
import { MAX_ROWS } from '../links/bulk/bulk.ts'
import { MAX_COLLECTIONS, MAX_LINKS } from './bounds.ts'
import { readLooks, type LookChanges } from './looks.ts'
import type { Collections, CountedCollection } from './open.ts'
import {
  collectionBody,
  collectionDetails,
  collectionUpdate,
  createdCollectionBody,
  endedBody,
  joinBody,
  joinedBody,
  leftBody,
} from './schemas.ts'
import type { Collection } from './store.ts'

/** What the routes need of the rest of the program. */
export interface CollectionRoutesNeeds extends CreationHooksNeeds {
  collections: Collections
}

const tags = ['Collections']
const TOKEN = 'The token from the creation of the collection.'

const readCreation = readerOf(collectionBody)
const readJoining = readerOf(joinBody)

/** @throws {Problem} 400 for an invalid field */
function readUpdate(body: unknown): { name?: string | null; looks?: LookChanges } {
  const { name, looks } = asObject(body)
  return {
    ...(name === null ? { name } : readCreation(body)),
    ...(looks !== undefined && { looks: readLooks(looks) }),
  }
}

/** Reads a body. @returns a function that throws a 400 for an invalid field */
function readerOf<T extends TSchema>(schema: T): (body: unknown) => Static<T> {
  const validate = createValidator(schema)
  return (body) => {
    const fields = asObject(body)
    const errors = validate(fields)
    if (errors.length > 0) throw invalidRequest(errors)
    return fields as Static<T>
  }
}

/** Each route of collections. */
export interface CollectionRoutes {
  /** `POST /api/collections` */
  create: Route
  /** `GET`, `PUT` and `DELETE /api/collections/<token>` */
  read: OwnerRoutes
  change: OwnerRoutes
  remove: OwnerRoutes
  /** `POST /api/collections/<token>/links` */
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
      const isEmpty = request.body === undefined || request.headers['content-type'] === undefined
      const { name = null } = isEmpty ? {} : readCreation(request.body)
      const client = clientOf(needs, request, reply)
      const { collection, token } = await needs.collections.create(name, client, idempotentRequest(request))
      return reply.code(201).send({ token, ...viewOf(collection) })
    },
  })
}

const viewOf = ({ name, createdAt }: Collection) => ({ name, created_at: new Date(createdAt).toISOString() })
const detailsOf = async ({ looksOf }: Collections, collection: CountedCollection) => ({
  ...viewOf(collection),
  links: collection.links,
  looks: await looksOf(collection),
})

const detailsResponse = (description: string) => ({
  200: { description, content: { 'application/json': { schema: collectionDetails } } },
  ...problems('collection_not_found'),
})

function readRoutes({ collections }: CollectionRoutesNeeds): OwnerRoutes {
  return ownerRoutes(
    {
      config: { work: 'pages' },
      schema: {
        summary: 'Read a collection',
        operationId: 'readCollection',
        tags,
        response: detailsResponse('The collection.'),
      },
      handler: async (request) => detailsOf(collections, await collections.find(tokenOf(request))),
    },
    TOKEN,
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
          ...problems('collection_not_found', 'unscannable'),
        },
      },
      // A wrong token gets its response before the body is read.
      onRequest: async (request) => void (await collections.find(tokenOf(request))),
      async handler(request, reply) {
        const { name, looks } = readUpdate(request.body)
        const token = tokenOf(request)
        if (looks !== undefined) await collections.changeLooks(token, looks, clientOf(needs, request, reply))
        const changed = await (name === undefined ? collections.find(token) : collections.rename(token, name))
        return detailsOf(collections, changed)
      },
    },
    TOKEN,
  )
}

function removalRoutes({ collections }: CollectionRoutesNeeds): OwnerRoutes {
  return ownerRoutes(
    {
      config: { work: 'creations' },
      schema: {
        summary: 'End a collection',
        operationId: 'endCollection',
        description: 'Its links stay, and their own tokens work as before.',
        tags,
        response: {
          200: { description: 'The collection was ended.', content: { 'application/json': { schema: endedBody } } },
          ...problems('collection_not_found'),
        },
      },
      async handler(request) {
        await collections.remove(tokenOf(request))
        return { deleted: true }
      },
    },
    TOKEN,
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
    TOKEN,
  )
}

const leaveQuery = Type.Object({
  link: Type.Optional(Type.Boolean({ description: 'Delete the link itself, as `DELETE /api/manage/{token}` does.' })),
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
          ...problems('collection_not_found', 'unknown_code'),
        },
      },
      async handler(request) {
        const { code: asked = '' } = request.params
        const token = tokenOf(request)
        if ((request as LeaveRequest).query.link === true) {
          const { code } = await links.delete({ collectionToken: token, code: asked }, request.headers['if-match'])
          return { deleted: true, code }
        }
        await collections.leave(token, asked)
        return { removed: true, code: asked }
      },
    },
    TOKEN,
  )
  // In OpenAPI its path would be ambiguous: `/api/collections/{token}/links` matches it, too.
  const { querystring } = routes.byPath.schema ?? {}
  return { ...routes, byHeader: { ...routes.byHeader, schema: { hide: true, querystring } } }
}
