import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from '#typebox'
import { preferredType } from '../http/accept.ts'
import { sendPage } from '../http/document.ts'
import { problems } from '../http/problem-schema.ts'
import { Problem } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import { kinds } from '../links/kinds/index.ts'
import type { Kind } from '../links/kinds/kind.ts'
import { suspensionProblem } from '../links/suspension.ts'
import type { Visits } from './open.ts'
import { platformOf } from './platform.ts'
import { previewPage } from './preview.ts'
import type { LiveLink, Resolution } from './resolve.ts'

interface CodeRoute {
  Params: { code: string }
}
type CodeRequest = FastifyRequest<CodeRoute>
type KindFile = NonNullable<Kind['file']>

const tags = ['Visits']
const params = Type.Object({
  code: Type.String({ description: 'The short code, in any case.', examples: ['k7dw3nq'] }),
})

/** Whatever else there is to do, visits go first. */
const config = { onDomains: true, work: 'immediate' } as const

const missing = problems('unknown_code', 'code_gone', 'code_removed', 'code_removed_by_law')

/** The ways to write a short URL that is visited. */
type Visited = 'plain' | 'compact' | 'compactInSmallLetters'

/** The short links themselves. */
export function visitRoutes({ resolve, record }: Pick<Visits, 'resolve' | 'record'>): Record<Visited, Route> {
  const handler = (request: CodeRequest, reply: FastifyReply) => {
    const resolution = resolve(request.params.code)
    return resolution instanceof Promise
      ? resolution.then((awaited) => answerVisit(record, request, reply, awaited))
      : answerVisit(record, request, reply, resolution)
  }
  const marked = '`?qr=1` marks the visit as a scan of a QR code.'
  const compact = visitSchema('visitCompact', 'As compact QR images have it, in capitals; a scan of a QR code.')
  return {
    plain: route<CodeRoute>({ config, schema: visitSchema('visit', marked), handler }),
    compact: route<CodeRoute>({ config, schema: compact, handler }),
    // Who copies a printed address by hand types it in small letters.
    compactInSmallLetters: route<CodeRoute>({ config, schema: { ...compact, hide: true }, handler }),
  }
}

function visitSchema(operationId: string, words: string) {
  return {
    summary: 'Visit a short link',
    operationId,
    description: `Redirects to the destination with the UTM pairs set, or shows the page of a kind that has one. ${words}`,
    tags,
    params,
    response: {
      302: {
        description: 'To the destination; `private, no-store`, no body.',
        headers: { Location: { type: 'string' } },
      },
      200: { description: 'The page of the link.', content: { 'text/html': { schema: Type.String() } } },
      ...missing,
    },
  }
}

/** Where a short link leads, on a page. */
export function previewRoute({ resolve }: Pick<Visits, 'resolve'>): Route {
  return route<CodeRoute>({
    schema: {
      summary: 'See where a short link leads',
      operationId: 'preview',
      description: 'A page that names the destination without going there; nothing is recorded.',
      tags,
      params,
      response: {
        200: { description: 'The page.', content: { 'text/html': { schema: Type.String() } } },
        ...missing,
      },
    },
    async handler(request, reply) {
      const live = requireLive(await resolve(request.params.code), request.params.code)
      reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
      return sendPage(reply, previewPage(live))
    },
  })
}

/** The files of links, for each kind that has one. */
export function fileRoutes({ resolve }: Pick<Visits, 'resolve'>): { extension: string; route: Route }[] {
  return kinds.flatMap(({ file, label }) =>
    file === undefined ? [] : [{ extension: file.extension, route: fileRoute(file, label, resolve) }],
  )
}

function fileRoute(file: KindFile, label: string, resolve: Visits['resolve']): Route {
  return route<CodeRoute>({
    config,
    schema: {
      summary: `Download the ${file.extension} file of a link`,
      operationId: `download_${file.extension}`,
      description: `For links of the kind that people call "${label}"; nothing is recorded.`,
      tags,
      params,
      response: {
        200: { description: 'The file.', content: { [file.mediaType]: { schema: Type.String() } } },
        ...missing,
      },
    },
    async handler(request, reply) {
      const live = requireLive(await resolve(request.params.code), request.params.code)
      if (live.kind.file !== file) throw new Problem('not_found', `this code has no ${file.extension} file`)
      return sendFile(reply, live)
    },
  })
}

/** Records the scan of a live code, and answers when it is recorded. HEAD answers the same and records nothing. */
function answerVisit(
  record: Visits['record'],
  request: CodeRequest,
  reply: FastifyReply,
  resolution: Resolution,
): FastifyReply {
  const live = requireLive(resolution, request.params.code)
  const answer = () => {
    try {
      showLink(request, reply, live)
    } catch (error) {
      void reply.send(error)
    }
  }
  if (request.method === 'GET') record(request.raw, live.id, answer)
  else answer()
  return reply
}

function showLink(request: FastifyRequest, reply: FastifyReply, live: LiveLink): FastifyReply {
  const { file } = live.kind
  reply.header('cache-control', 'private, no-store')
  if (file !== undefined && preferredType(request.headers.accept, ['text/html', file.mediaType]) === file.mediaType) {
    return sendFile(reply, live)
  }
  const outcome = live.visit({ platform: platformOf(request.headers['user-agent']) })
  if (outcome.type === 'document') return sendPage(reply, outcome)
  return reply.code(302).header('location', outcome.location).send()
}

function sendFile(reply: FastifyReply, { code, kind, content }: LiveLink): FastifyReply {
  reply.headers({
    'content-type': `${kind.file?.mediaType}; charset=utf-8`,
    'content-disposition': `attachment; filename="${code}.${kind.file?.extension}"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  })
  return reply.send(kind.file?.write(content()))
}

/** @throws {Problem} 404 for an unknown or paused code, 410 for a deleted one, 410 or 451 for a removed one */
function requireLive(resolution: Resolution, code: string): LiveLink {
  if (resolution.state === 'live') return resolution.live
  if (resolution.state === 'removed') throw suspensionProblem(resolution.removed)
  if (resolution.state === 'gone') throw new Problem('code_gone', `the link ${shown(code)} was deleted by its owner`)
  throw new Problem('unknown_code', `no link has the code ${shown(code)}`)
}

/** A path can be anything; only what could be a code is repeated. */
function shown(code: string): string {
  return /^[\w-]{1,64}$/.test(code) ? code : 'that was asked for'
}
