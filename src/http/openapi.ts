import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import { Type } from '#typebox'
import { createBoundedCache } from '../lib/bounded-cache.ts'
import { entityTagOf, isNotModified } from './entity-tag.ts'
import { describeResponses, type DescribedResponse, type SharedResponses } from './described-responses.ts'
import { warnOfLocalUrl } from './local-address.ts'
import { noCompilers } from './no-compilers.ts'
import { declareNotices, noticeParameters } from './openapi-notices.ts'
import type { Origin } from './origin.ts'
import { catalogue } from './problem.ts'
import { headerComponents, sends } from './response-headers.ts'
import { route, type Route } from './route.ts'

/** Returns the OpenAPI 3.1 document without `servers`, which depends on the origin of the request. */
export type DescribeApi = () => Promise<object>

/** Collects all routes added later, for a document that is created at the first request. */
export function describeApi(app: FastifyInstance, version: string): DescribeApi {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => void (route.method !== 'HEAD' && !route.schema?.hide && routes.push(route)))
  let document: Promise<object> | undefined
  return () => (document ??= describe(routes, version))
}

const securitySchemes = {
  token: { type: 'http', scheme: 'bearer', description: 'The token of a link, when it is not in the path.' },
  creationKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'The access code of this service, where it asks for one to create.',
  },
} as const

/** Describes copies of the routes: the generator is loaded at the first request, when routes can no longer be added to `app`. */
async function describe(routes: RouteOptions[], version: string): Promise<object> {
  const { default: swagger } = await import('@fastify/swagger')
  const app = Fastify({ exposeHeadRoutes: false, schemaController: { compilersFactory: noCompilers } })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'quirl',
        version,
        summary: 'Short links and dynamic QR codes without an account.',
        description:
          'Creating a link returns a secret token. The token alone reads, changes and deletes that link. ' +
          'Every error is `application/problem+json` with a stable `code`, or a page for a browser. Every path answers the ' +
          'methods that it does not have with 405 and `Allow`. Headers for caches, browsers and the connection are not listed.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      tags: [
        { name: 'Links', description: 'Create links, and manage them by their token.' },
        { name: 'Collections', description: 'Sets of links, each with a token that owns every link in it.' },
        { name: 'Visits', description: 'Responses of short URLs.' },
        { name: 'Statistics', description: 'Scans of a link, by its token.' },
        { name: 'Shares', description: 'Read-only access to the statistics of a link, with tokens of its own.' },
        { name: 'QR images', description: 'PNG and SVG images of links and of any data.' },
        { name: 'Abuse', description: 'Reports of harmful codes.' },
        { name: 'Domains', description: 'Short links on custom domains.' },
        { name: 'Operation', description: 'For the operator of the service.' },
      ],
      security: [],
      components: {
        securitySchemes,
      },
    },
    stripBasePath: false,
  })
  for (const { method, url, schema } of routes) app.route({ method, url, ...(schema && { schema }), handler: () => {} })
  await app.ready()
  return completed(app.swagger(), routes)
}

interface Described {
  paths?: object
  components?: object
}
interface DescribedOperation {
  operationId?: string
  responses: Record<string, object>
}
type Paths = Record<string, Record<string, DescribedOperation>>

/** Adds to a document what holds for many operations, and names what they share. */
function completed({ paths = {}, components, ...rest }: Described, routes: RouteOptions[]): object {
  const responses = completeResponses(paths as Paths, routes)
  const { value, schemas } = nameSchemas({ paths: declareNotices(paths), responses })
  const named = { parameters: noticeParameters, headers: headerComponents(), responses: value.responses, schemas }
  return { ...rest, paths: value.paths, components: { ...components, ...named } }
}

/** Completes the responses of every operation. @returns those that operations share, by name */
function completeResponses(paths: Paths, routes: RouteOptions[]): Record<string, DescribedResponse> {
  const shared: SharedResponses = new Map()
  const byId = new Map(routes.map((each) => [each.schema?.operationId, each]))
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const described = byId.get(operation.operationId)
    if (described === undefined) throw new Error(`a route has no operationId: ${JSON.stringify(operation)}`)
    operation.responses = describeResponses(described, operation.responses as Record<string, DescribedResponse>, shared)
  }
  return Object.fromEntries([...shared].sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Bytes of cached documents, one for each origin of the service. */
const CACHE_BYTES = 4 * 1024 * 1024

/** Serialises the document once for each origin. */
function createDocuments(describe: DescribeApi): (origin: string) => Promise<{ body: Buffer; tag: string }> {
  const documents = createBoundedCache<{ body: Buffer; tag: string }>(CACHE_BYTES)
  return async (origin) => {
    const cached = documents.get(origin)
    if (cached !== undefined) return cached
    const body = Buffer.from(JSON.stringify({ ...(await describe()), servers: [{ url: origin }] }))
    const document = { body, tag: entityTagOf(body) }
    documents.set(origin, document, body.length)
    return document
  }
}

const json = (description: string) => ({
  200: { description, content: { 'application/json': { schema: Type.Object({}, { additionalProperties: true }) } } },
})

/** The document of all routes: `GET /api/openapi.json` */
export function openApiRoute(describe: DescribeApi, origin: Origin): Route {
  const documentOf = createDocuments(describe)
  return route({
    schema: {
      summary: 'This document',
      operationId: 'openApi',
      tags: ['Operation'],
      response: {
        200: { ...json('OpenAPI 3.1.')[200], headers: sends('ETag') },
        304: { description: 'The document has not changed.', type: 'null' },
      },
    },
    async handler(request, reply) {
      const own = origin.of(request)
      const { body, tag } = await documentOf(own)
      warnOfLocalUrl(reply, own)
      reply.headers({ etag: tag, 'cache-control': 'public, no-cache' })
      if (isNotModified(request.headers['if-none-match'], tag)) return reply.code(304).send()
      return reply.type('application/json; charset=utf-8').send(body)
    },
  })
}

/** The catalogue of errors: `GET /api/problems` */
export function problemsRoute(): Route {
  return route({
    schema: {
      summary: 'The catalogue of errors',
      operationId: 'problems',
      description: 'Every `code` that an error can have, with its status and title.',
      tags: ['Operation'],
      response: json('Statuses and titles by code.'),
    },
    handler: async () =>
      Object.fromEntries(Object.entries(catalogue).map(([code, [status, title]]) => [code, { status, title }])),
  })
}

/** A part of an OpenAPI document. */
type Json = string | number | boolean | null | undefined | Json[] | { [name: string]: Json }

/** Keys of sample data, in which `title` is the field of a link. */
const DATA = new Set(['example', 'examples', 'default', 'const', 'enum'])

/**
 * Moves each schema that has a `title` to a named component, and refers to it from where it was. A document with a copy in
 * every route is several times as long, and generated clients have no names for their types.
 * @param value parts of an OpenAPI document
 * @returns the parts with references, and the components
 * @throws when two different schemas have one name
 */
export function nameSchemas<K extends string>(
  value: Record<K, object>,
): { value: Record<K, Json>; schemas: Record<string, Json> } {
  const schemas: Record<string, Json> = {}

  function refer(json: Json): Json {
    if (Array.isArray(json)) return json.map(refer)
    if (typeof json !== 'object' || json === null) return json
    const parts = Object.entries(json).map(([key, part]) => [key, DATA.has(key) ? part : refer(part)] as const)
    const copy: Record<string, Json> = Object.fromEntries(parts)
    return typeof copy['title'] === 'string' ? define(copy['title'], copy) : copy
  }

  function define(name: string, part: Json): Json {
    const known = schemas[name]
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(part)) {
      throw new Error(`two schemas have the name ${name}`)
    }
    schemas[name] = part
    return { $ref: `#/components/schemas/${name}` }
  }

  const parts: object = value
  return { value: refer(parts as Json) as Record<K, Json>, schemas }
}
