import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from '#typebox'
import { BODY_LIMIT } from '../http/body.ts'
import type { Origin } from '../http/origin.ts'
import { problems } from '../http/problem-schema.ts'
import { keepPrivate, tokenOf, type ManageRequest } from './access.ts'
import { createLink, type CreationLimits, type LinkDeps } from './create.ts'
import { idempotencyHeader, repeatable } from './idempotency.ts'
import { details, entityTag, type Link } from './link.ts'
import { changeLink, checkDesign, linkOfToken, removeLink } from './manage.ts'
import { createdBody, creationBody, deletedBody, detailsBody, updateBody } from './schemas.ts'

/** The links of the API, below /api. */
export function linkRoutes(app: FastifyInstance, deps: LinkDeps & { origin: Origin; limits: CreationLimits }): void {
  app.post(
    '/links',
    {
      config: { work: 'creations' },
      ...deps.limits.creation('links'),
      schema: {
        summary: 'Create a link',
        operationId: 'createLink',
        description: "No credential is needed. A kind's own fields may also stand inside `payload`.",
        tags: ['Links'],
        headers: idempotencyHeader,
        body: creationBody,
        response: {
          201: {
            description: 'The link is there for good.',
            headers: { Location: { type: 'string', description: 'The short URL.' } },
            content: { 'application/json': { schema: createdBody } },
          },
          ...problems(
            'malformed_json',
            'invalid_request',
            'alias_taken',
            'alias_reserved',
            'body_too_large',
            'unsupported_media_type',
            'target_blocked',
            'idempotency_key_reused',
            'rate_limited',
          ),
        },
      },
    },
    async (request, reply) => {
      const created = await createLink(deps, request.body, {
        origin: deps.origin.of(request),
        admit: () => deps.limits.charge(request, reply, 'links'),
        repeatable: repeatable(request),
      })
      return reply.code(201).headers({ location: created.short_url, 'cache-control': 'no-store' }).send(created)
    },
  )

  manageRoutes(app, deps)
}

function manageRoutes(app: FastifyInstance, deps: LinkDeps & { origin: Origin; limits: CreationLimits }): void {
  const answerDetails = async (reply: FastifyReply, link: Link, token: string, origin: string) => {
    const [totals, design] = await Promise.all([deps.totals(link.id), deps.designs.of(link.id)])
    return reply.header('etag', entityTag(link)).send(details(link, { token, origin, totals, design }))
  }

  const handlers = {
    GET: async (request: ManageRequest, reply: FastifyReply) => {
      const token = tokenOf(request)
      return answerDetails(reply, await linkOfToken(deps, token), token, deps.origin.of(request))
    },
    PUT: async (request: ManageRequest, reply: FastifyReply) => {
      const token = tokenOf(request)
      const origin = deps.origin.of(request)
      await checkDesign(deps, token, request.body, {
        origin,
        client: deps.limits.clientOf(request),
        admit: () => deps.limits.charge(request, reply, 'qr'),
      })
      const link = await changeLink(deps, token, request.body, request.headers['if-match'])
      return answerDetails(reply, link, token, origin)
    },
    DELETE: async (request: ManageRequest) => {
      const link = await removeLink(deps, tokenOf(request), request.headers['if-match'])
      return { deleted: true, code: link.code }
    },
  }

  // The token stands in the path or, without one, in the Authorization header.
  for (const url of ['/manage/:token', '/manage']) {
    const byHeader = url === '/manage'
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const schema = manageSchema(method, byHeader)
      const onRequest = async (request: ManageRequest) => void (await linkOfToken(deps, tokenOf(request)))
      app.route({
        url,
        method,
        // The details have totals, which are waited for.
        config: { work: method === 'GET' ? 'statistics' : 'creations' },
        schema,
        // Whoever guesses tokens is told before the body is read; a design may hold a logo of 256 KiB, in base64.
        ...(method === 'PUT' && { onRequest, bodyLimit: 2 * BODY_LIMIT }),
        onSend: keepPrivate,
        handler: handlers[method],
      })
    }
  }
}

function manageSchema(method: 'GET' | 'PUT' | 'DELETE', byHeader: boolean) {
  const words = {
    GET: { summary: 'Read a link', operationId: 'readLink' },
    PUT: { summary: 'Change a link', operationId: 'changeLink' },
    DELETE: { summary: 'Delete a link and all that is kept about it', operationId: 'deleteLink' },
  }[method]
  const ok = {
    GET: { description: 'The details.', content: { 'application/json': { schema: detailsBody } } },
    PUT: { description: 'The details after the change.', content: { 'application/json': { schema: detailsBody } } },
    DELETE: { description: 'The link is gone.', content: { 'application/json': { schema: deletedBody } } },
  }[method]
  const bodyProblems = problems(
    'malformed_json',
    'invalid_request',
    'unscannable',
    'link_removed',
    'body_too_large',
    'unsupported_media_type',
    'target_blocked',
    'rate_limited',
  )
  const ifMatch = Type.Optional(Type.String({ description: 'Only change the revision with this ETag.' }))
  return {
    ...words,
    operationId: byHeader ? `${words.operationId}ByHeader` : words.operationId,
    tags: ['Links'],
    ...(byHeader
      ? { security: [{ token: [] }] }
      : { params: Type.Object({ token: Type.String({ description: 'The token of the creation.' }) }) }),
    ...(method !== 'GET' && { headers: Type.Object({ 'if-match': ifMatch }) }),
    ...(method === 'PUT' && { body: updateBody }),
    response: {
      200: ok,
      ...(method === 'PUT' && bodyProblems),
      ...problems('unknown_token', ...(method === 'GET' ? [] : (['precondition_failed'] as const))),
    },
  }
}
