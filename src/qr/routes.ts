import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { Type, type Static } from '#typebox'
import type { Placements } from '../dimensions/dimension.ts'
import { entityTagOf } from '../http/entity-tag.ts'
import { warnOfLocalUrl } from '../http/local-address.ts'
import type { Origin } from '../http/origin.ts'
import { problems } from '../http/problem-schema.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { route, type Route } from '../http/route.ts'
import type { CodeForm } from './code-image.ts'
import type { DesignFormat, DesignJob } from './design/job.ts'
import type { Design } from './design/schema.ts'
import type { Image, Images } from './images.ts'
import {
  codeImageQuery,
  codePdfQuery,
  codeSvgQuery,
  dataImageQuery,
  NOT_UNICODE,
  readLevel,
  readAppearance,
  requireSize,
} from './options.ts'
import type { Requester } from './pool/queue.ts'
import { requesterOf } from './requester.ts'
import { imageResponse, sendImage } from './send.ts'
import type { Holder } from '../lib/holder.ts'

/** What QR images of any data need from the rest of the program. */
export interface DataImageNeeds {
  images: Images
  /** A hook that charges each request for an image. */
  limitImages: onRequestAsyncHookHandler
  /** Who waits for the image. */
  holderOf: (request: FastifyRequest) => Holder
}

/** What the code of a short link depends on. */
export interface CodeLink {
  id: number
  code: string
  placements: Placements | null
}

/** What QR images of short links need in addition. */
export interface CodeImageNeeds extends DataImageNeeds {
  origin: Origin
  /** The text that the QR code of a short link encodes. */
  codeText: (code: string, origin: string, form?: CodeForm) => string
  /** The link of a code, also a paused one; 'gone' when it was deleted, undefined when it never existed. */
  linkOf: (code: string) => Promise<CodeLink | 'gone' | undefined>
  /** The saved design of a link. */
  designOf: (linkId: number) => Promise<Design | undefined>
}

const tags = ['QR images']

/** Deterministic, but a browser should notice a new version of the renderer within a day. */
const DATA_CACHING = 'public, max-age=86400'
/** Short, because the image of a deleted code must disappear. */
export const CODE_CACHING = 'public, max-age=300'

/** `GET /api/qr` */
export function dataImageRoute({ images, limitImages, holderOf }: DataImageNeeds): Route {
  return route<{ Querystring: Static<typeof dataImageQuery> }>({
    config: { work: 'images' },
    onRequest: limitImages,
    schema: {
      summary: 'Make a QR image of any data',
      operationId: 'makeQr',
      tags,
      querystring: dataImageQuery,
      response: imageResponse(['png', 'svg']),
    },
    async handler(request, reply) {
      requireUnicode(request.url)
      const { data, format = 'png', ecl, boost } = request.query
      const appearance = readAppearance(request.query, format)
      reply.header('cache-control', DATA_CACHING)
      const image = await images.plainOfAny(
        data,
        appearance,
        { level: readLevel(ecl), boost: boost !== '0' },
        requesterOf(holderOf, request, reply),
      )
      return sendImage(request, reply, image, { name: 'qr', format })
    },
  })
}

/**
 * The query parser leaves invalid UTF-8 percent-encoded, so that the image would contain percent signs.
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

export const codeParams = Type.Object({
  code: Type.String({ description: 'The short code, in any case.', examples: ['k7dw3nq'] }),
})

interface CodeRoute {
  Params: { code: string }
  Querystring: Static<typeof codePdfQuery>
}

/** The QR images of short links: `GET /<code>/qr.<format>` */
export function codeImageRoutes(needs: CodeImageNeeds): Record<DesignFormat, Route> {
  return { png: codeImageRoute('png', needs), svg: codeImageRoute('svg', needs), pdf: codeImageRoute('pdf', needs) }
}

function codeImageRoute(format: DesignFormat, needs: CodeImageNeeds): Route {
  return route<CodeRoute>({
    onRequest: needs.limitImages,
    config: { onDomains: true, work: 'images' },
    schema: {
      summary: `The ${format.toUpperCase()} QR image of a short link`,
      operationId: `qr_${format}`,
      description:
        'It encodes the short URL, so that it stays right whatever the link leads to. Paused links have one too. ' +
        'Where a design was saved, colours are its own and not those of the query.',
      tags,
      params: codeParams,
      querystring: { png: codeImageQuery, svg: codeSvgQuery, pdf: codePdfQuery }[format],
      response: {
        ...imageResponse([format]),
        ...problems('unscannable', 'unknown_code', 'code_gone', 'code_removed', 'code_removed_by_law'),
      },
    },
    handler: (request, reply) => answerCodeImage(needs, request, reply, format),
  })
}

async function answerCodeImage(
  needs: CodeImageNeeds,
  request: FastifyRequest<CodeRoute>,
  reply: FastifyReply,
  format: DesignFormat,
): Promise<FastifyReply> {
  const link = await requireLink(needs, request.params.code)
  const origin = needs.origin.of(request)
  const form = formOf(request.query, link)
  const text = needs.codeText(link.code, origin, form)
  const image = await drawCode(
    needs,
    request.query,
    { text, format, design: await needs.designOf(link.id) },
    requesterOf(needs.holderOf, request, reply),
  )
  reply.header('cache-control', CODE_CACHING)
  warnOfLocalUrl(reply, origin)
  const { width_mm: millimetres } = request.query
  const sent = format === 'svg' && millimetres !== undefined ? inMillimetres(image, millimetres) : image
  return sendImage(request, reply, sent, { name: nameOf(link.code, form), format })
}

/** The same SVG with a width and a height in millimetres in place of pixels. */
function inMillimetres(image: Image, width: number): Image {
  const svg = image.body.toString().replace(/width="([\d.]+)" height="([\d.]+)"/, (_, across: string, down: string) => {
    const height = Math.round((width * Number(down) * 1000) / Number(across)) / 1000
    return `width="${width}mm" height="${height}mm"`
  })
  const body = Buffer.from(svg)
  return { ...image, body, tag: entityTagOf(body) }
}

/** The name of the file of a code. */
export function nameOf(code: string, { placement }: CodeForm): string {
  return placement === undefined ? code : `${code}-${placement}`
}

/** @throws {Problem} 400 for a placement that the link does not have */
export function formOf(
  { compact, placement }: { compact?: '0' | '1'; placement?: string },
  { placements }: CodeLink,
): CodeForm {
  if (placement === undefined) return { compact: compact === '1' }
  const id = placements?.().get(placement.toLowerCase())
  if (id === undefined) throw invalidRequest([{ pointer: '/placement', detail: 'is no placement of this link' }])
  if (compact === '1')
    throw invalidRequest([{ pointer: '/compact', detail: 'must be 0 with placement, whose id keeps its case' }])
  return { placement: id }
}

/** @throws {Problem} 404 or 410 when there is no link */
export async function requireLink({ linkOf }: Pick<CodeImageNeeds, 'linkOf'>, code: string): Promise<CodeLink> {
  const link = await linkOf(code)
  if (link === 'gone') throw new Problem('code_gone', 'the link of this image was deleted by its owner')
  if (link === undefined) throw new Problem('unknown_code', 'no link has this code')
  return link
}

/** Plain images are drawn at once; a design, and whatever goes to the printer, on a thread of its own. */
async function drawCode(
  { images }: DataImageNeeds,
  query: Static<typeof codePdfQuery>,
  { text, format, design }: { text: string; format: DesignFormat; design: Design | undefined },
  requester: Requester,
): Promise<Image> {
  const { size = 512, margin, fg, bg, dpi, width_mm: millimetres, sheet } = query
  const isPlain = design === undefined || Object.keys(design).length === 0
  if (isPlain && format !== 'pdf')
    return images.plainOfAny(text, readAppearance(query, format), { level: 'M' }, requester)
  requireSize(size, format)
  const job: DesignJob = {
    text,
    format,
    size,
    at: design === undefined ? '' : '/design',
    isSaved: design !== undefined,
    design: design ?? defined({ fg, bg }),
    ...defined({ margin, dpi, millimetres, sheet }),
  }
  return images.designed(job, requester)
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Drops the members that are undefined. */
function defined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>
}
