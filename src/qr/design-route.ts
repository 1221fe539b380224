import { Type } from '#typebox'
import { problems } from '../http/problem-schema.ts'
import { route, type Route } from '../http/route.ts'
import { designRequestBody, readDesignRequest } from './design-request.ts'
import { plainOf } from './plain.ts'
import type { DataImageNeeds } from './routes.ts'
import { requesterOf } from './requester.ts'
import { imageResponse, sendImage } from './send.ts'

/** A logo of 256 KiB in base64, and everything else. */
const DESIGN_BODY_LIMIT = 512 * 1024

const reportBody = Type.Object(
  {
    scannability: Type.Enum(['excellent', 'good', 'fair', 'poor']),
    version: Type.Integer({ description: 'Of the symbol, 1 to 40.' }),
    modules: Type.Integer({ description: "Of the symbol's side." }),
    level: Type.Enum(['L', 'M', 'Q', 'H'], { description: 'Of error correction.' }),
    contrast_ratio: Type.Number({ description: 'The lowest in the image, 1 to 21 (WCAG 2).' }),
    inverted: Type.Boolean({ description: 'Whether modules are lighter than their background.' }),
    quiet_zone: Type.Integer({ description: 'In modules; the standard requires 4.' }),
    logo_correction_used: Type.Number({ description: 'Share of the error correction that the logo uses up.' }),
    logo_on_alignment: Type.Boolean({
      description: 'Whether the logo covers an alignment pattern, which some scanners need; at most `fair` then.',
    }),
    print: Type.Object({
      smallest_mm: Type.Number({ description: 'The smallest width to print, quiet zone included.' }),
      distance_mm: Type.Number({ description: 'The distance from which a phone reads it at that width.' }),
    }),
    checks: Type.Array(
      Type.Object({
        name: Type.String(),
        grade: Type.Enum(['good', 'excellent'], { description: 'The grade that requires this step.' }),
        read: Type.Boolean(),
      }),
    ),
  },
  { title: 'QrReport' },
)

// A POST has no conditional responses.
const { 304: _, ...responses } = imageResponse(['png', 'svg', 'pdf'])
const json = { 'application/json': { schema: reportBody } }

const designRouteSchema = {
  summary: 'Design a QR image, or check one',
  operationId: 'designQr',
  description: 'A decoder reads each designed image before it is returned; an image that cannot be read is refused.',
  tags: ['QR images'],
  querystring: Type.Object({
    report: Type.Optional(
      Type.Enum(['true', 'false'], { description: 'Returns a report on the image instead of the image.' }),
    ),
  }),
  body: designRequestBody,
  response: {
    ...responses,
    200: { ...responses[200], content: { ...responses[200].content, ...json } },
    ...problems('unscannable'),
  },
}

/** Designed QR images of any data: `POST /api/qr` */
export function designRoute({ images, limitImages, holderOf }: DataImageNeeds): Route {
  return route<{ Querystring: { report?: string } }>({
    bodyLimit: DESIGN_BODY_LIMIT,
    config: { work: 'images' },
    onRequest: limitImages,
    schema: designRouteSchema,
    async handler(request, reply) {
      const job = readDesignRequest(request.body)
      const requester = requesterOf(holderOf, request, reply)
      reply.header('cache-control', 'no-store')
      if (request.query.report === 'true') return (await images.designed(job, requester)).report
      const plain = plainOf(job)
      const image =
        plain === undefined
          ? await images.designed(job, requester)
          : await images.plainOfAny(plain.text, plain.appearance, plain.options, requester)
      return sendImage(request, reply, image, { name: 'qr', format: job.format })
    },
  })
}
