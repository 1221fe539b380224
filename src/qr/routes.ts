import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { Type, type Static } from '#typebox'
import { clientGone } from '../http/client-gone.ts'
import type { Origin } from '../http/origin.ts'
import { problems } from '../http/problem-schema.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { codeText } from './code-image.ts'
import type { DesignFormat } from './design/job.ts'
import type { Design } from './design/schema.ts'
import type { Image, Images } from './images.ts'
import {
  codeImageQuery,
  codePdfQuery,
  dataImageQuery,
  NOT_UNICODE,
  readLevel,
  readLook,
  requireSize,
} from './options.ts'
import type { Asker } from './pool/queue.ts'
import { imageResponse, sendImage } from './send.ts'

/** What QR images need of the rest of the program. */
export interface QrDeps {
  origin: Origin
  images: Images
  /** Whether images of links carry the marker that tells a scan from a click. */
  marker: boolean
  /** A hook that charges each request for an image. */
  limitImages: onRequestAsyncHookHandler
  /** A key of the request's client, which says nothing of its address. */
  clientOf: (request: FastifyRequest) => string
  /** The link of a code, also a paused one; 'gone' when it was deleted, undefined when there never was one. */
  linkOf: (code: string) => Promise<{ id: number; code: string } | 'gone' | undefined>
  /** The design that was saved for a link. */
  designOf: (linkId: number) => Promise<Design | undefined>
}

const tags = ['QR images']

/** Deterministic, but a browser should notice a new version of the renderer within a day. */
const DATA_CACHING = 'public, max-age=86400'
/** Short, because a deleted code's image must go. */
const CODE_CACHING = 'public, max-age=300'

/** QR images of any data, below /api. */
export function dataImageRoutes(
  app: FastifyInstance,
  { images, limitImages, clientOf }: Pick<QrDeps, 'images' | 'limitImages' | 'clientOf'>,
): void {
  app.get(
    '/qr',
    {
      config: { work: 'images' },
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
      requireUnicode(request.url)
      const { data, format = 'png', ecl, boost } = request.query
      const look = readLook(request.query, format)
      reply.header('cache-control', DATA_CACHING)
      const image = await images.plainOfAny(
        data,
        look,
        { level: readLevel(ecl), boost: boost !== '0' },
        { client: clientOf(request), gone: clientGone(reply) },
      )
      return sendImage(request, reply, image, { name: 'qr', format })
    },
  )
}

/**
 * Bytes that are no UTF-8 would be left as they were written, and encoded as percent signs.
 * @throws {Problem} 400
 */
function requireUnicode(url: string): void {
  const [, data = ''] = /[?&]data=([^&]*)/.exec(url) ?? []
  if (!/%[89a-f]/i.test(data)) return
  try {
    decodeURIComponent(data)
  } catch {
    throw invalidRequest([{ pointer: '/data', detail: NOT_UNICODE }])
  }
}

type CodeRequest = FastifyRequest<{ Params: { code: string }; Querystring: Static<typeof codePdfQuery> }>

/** QR images of short links, at the root. */
export function codeImageRoutes(app: FastifyInstance, deps: QrDeps): void {
  for (const format of ['png', 'svg', 'pdf'] as const) {
    app.get(
      `/:code/qr.${format}`,
      {
        onRequest: deps.limitImages,
        config: { onDomains: true, work: 'images' },
        schema: {
          summary: `The ${format.toUpperCase()} QR image of a short link`,
          operationId: `qr_${format}`,
          description:
            'It encodes the short URL, so that it stays right whatever the link leads to. Paused links have one too. ' +
            'Where a design was saved, colours are its own and not those of the query.',
          tags,
          params: Type.Object({
            code: Type.String({ description: 'The short code, in any case.', examples: ['k7dw3nq'] }),
          }),
          querystring: format === 'pdf' ? codePdfQuery : codeImageQuery,
          response: {
            ...imageResponse([format]),
            ...problems(
              'invalid_request',
              'unscannable',
              'unknown_code',
              'code_gone',
              'rate_limited',
              'code_removed',
              'code_removed_by_law',
            ),
          },
        },
      },
      (request: CodeRequest, reply) => answerCodeImage(deps, request, reply, format),
    )
  }
}

async function answerCodeImage(
  deps: QrDeps,
  request: CodeRequest,
  reply: FastifyReply,
  format: DesignFormat,
): Promise<FastifyReply> {
  const link = await deps.linkOf(request.params.code)
  if (link === 'gone') throw new Problem('code_gone', 'the link of this image was deleted by its owner')
  if (link === undefined) throw new Problem('unknown_code', 'no link has this code')
  const options = { marker: deps.marker, compact: request.query.compact === '1' }
  const text = codeText(link.code, deps.origin.of(request), options)
  const image = await drawCode(
    deps,
    request.query,
    { text, format, design: await deps.designOf(link.id) },
    { client: deps.clientOf(request), gone: clientGone(reply) },
  )
  reply.header('cache-control', CODE_CACHING)
  return sendImage(request, reply, image, { name: link.code, format })
}

/** Plain images are drawn at once; a design, and whatever goes to the printer, on a thread of its own. */
async function drawCode(
  { images }: QrDeps,
  query: Static<typeof codePdfQuery>,
  { text, format, design }: { text: string; format: DesignFormat; design: Design | undefined },
  asker: Asker,
): Promise<Image> {
  const { size = 512, margin, fg, bg, dpi, width_mm } = query
  const isPlain = design === undefined || Object.keys(design).length === 0
  if (isPlain && format !== 'pdf') return images.plainOfAny(text, readLook(query, format), { level: 'M' }, asker)
  requireSize(size, format)
  const job = {
    text,
    format,
    size,
    at: design === undefined ? '' : '/design',
    isSaved: design !== undefined,
    design: design ?? { ...(fg !== undefined && { fg }), ...(bg !== undefined && { bg }) },
    ...(margin !== undefined && { margin }),
    ...(dpi !== undefined && { dpi }),
    ...(width_mm !== undefined && { millimetres: width_mm }),
  }
  return images.designed(job, asker)
}
