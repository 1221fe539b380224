import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { Type, type Static } from 'typebox'
import type { Origin } from '../http/origin.ts'
import { problems } from '../http/problem-schema.ts'
import { Problem } from '../http/problem.ts'
import { codeText } from './code-image.ts'
import type { Image, Images } from './images.ts'
import { codeImageQuery, dataImageQuery, readLevel, readLook, type Format, type Look } from './options.ts'

/** What QR images need of the rest of the program. */
export interface QrDeps {
  origin: Origin
  images: Images
  /** Whether images of links carry the marker that tells a scan from a click. */
  marker: boolean
  /** A hook that charges each request for an image. */
  limitImages: onRequestAsyncHookHandler
  /** The link of a code, also a paused one; 'gone' when it was deleted, undefined when there never was one. */
  linkOf: (code: string) => Promise<{ code: string } | 'gone' | undefined>
}

const mediaTypes = { png: 'image/png', svg: 'image/svg+xml' }
const tags = ['QR images']

/** Deterministic, but a browser should notice a new version of the renderer within a day. */
const DATA_CACHING = 'public, max-age=86400'
/** Short, because a deleted code's image must go. */
const CODE_CACHING = 'public, max-age=300'

const imageResponse = (formats: Format[]) => ({
  200: {
    description: 'The image. `QR-Scannability: poor` when the colours are weak or inverted.',
    headers: { 'QR-Level': { type: 'string', description: 'The error-correction level that the symbol has.' } },
    content: Object.fromEntries(
      formats.map((format) => [mediaTypes[format], { schema: Type.Unsafe({ type: 'string', format: 'binary' }) }]),
    ),
  },
  304: { description: 'The image has not changed.', type: 'null' },
})

/** QR images of any data, below /api. */
export function dataImageRoutes(
  app: FastifyInstance,
  { images, limitImages }: Pick<QrDeps, 'images' | 'limitImages'>,
): void {
  app.get(
    '/qr',
    {
      onRequest: limitImages,
      schema: {
        summary: 'Make a QR image of any data',
        operationId: 'makeQr',
        tags,
        querystring: dataImageQuery,
        response: { ...imageResponse(['png', 'svg']), ...problems('invalid_request', 'rate_limited') },
      },
    },
    async (request: FastifyRequest<{ Querystring: Static<typeof dataImageQuery> }>, reply) => {
      const { data, format = 'png', ecl, boost } = request.query
      const look = readLook(request.query, format)
      reply.header('cache-control', DATA_CACHING)
      const image = images.plain(data, look, { level: readLevel(ecl), boost: boost !== '0' })
      return sendImage(request, reply, image, look, 'qr')
    },
  )
}

/** QR images of short links, at the root. */
export function codeImageRoutes(app: FastifyInstance, deps: QrDeps): void {
  for (const format of ['png', 'svg'] as const) {
    app.get(
      `/:code/qr.${format}`,
      {
        onRequest: deps.limitImages,
        config: { onDomains: true },
        schema: {
          summary: `The ${format.toUpperCase()} QR image of a short link`,
          operationId: `qr_${format}`,
          description:
            'It encodes the short URL, so that it stays right whatever the link leads to. Paused links have one too.',
          tags,
          params: Type.Object({
            code: Type.String({ description: 'The short code, in any case.', examples: ['k7dw3nq'] }),
          }),
          querystring: codeImageQuery,
          response: {
            ...imageResponse([format]),
            ...problems(
              'invalid_request',
              'unknown_code',
              'code_gone',
              'rate_limited',
              'code_removed',
              'code_removed_by_law',
            ),
          },
        },
      },
      async (
        request: FastifyRequest<{ Params: { code: string }; Querystring: Static<typeof codeImageQuery> }>,
        reply,
      ) => {
        const link = await deps.linkOf(request.params.code)
        if (link === 'gone') throw new Problem('code_gone', 'the link of this image was deleted by its owner')
        if (link === undefined) throw new Problem('unknown_code', 'no link has this code')
        const look = readLook(request.query, format)
        reply.header('cache-control', CODE_CACHING)
        const text = codeText(link.code, deps.origin.of(request), deps.marker)
        return sendImage(request, reply, deps.images.plain(text, look, { level: 'M' }), look, link.code)
      },
    )
  }
}

function sendImage(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, tag, level }: Image,
  look: Look,
  name: string,
): FastifyReply {
  reply.headers({
    etag: tag,
    'x-content-type-options': 'nosniff',
    'qr-level': level,
    ...(look.poor && { 'qr-scannability': 'poor' }),
  })
  if (knows(request.headers['if-none-match'], tag)) return reply.code(304).send()
  reply.headers({
    'content-type': mediaTypes[look.format],
    'content-disposition': `inline; filename="${name}.${look.format}"`,
    // An SVG opened by itself is a document: nothing in it may run or load.
    'content-security-policy': "default-src 'none'; sandbox",
  })
  return reply.send(body)
}

/** Whether the caller has this very image already (RFC 9110, 13.1.2: weak comparison). */
function knows(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag)
}
