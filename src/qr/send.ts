import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from '#typebox'
import { isNotModified } from '../http/entity-tag.ts'
import type { DesignFormat } from './design/job.ts'
import type { Image } from './images.ts'

export const mediaTypes = { png: 'image/png', svg: 'image/svg+xml', pdf: 'application/pdf' }

/** The OpenAPI responses of an image. */
export const imageResponse = (formats: DesignFormat[]) => ({
  200: {
    description: 'The image.',
    headers: {
      'QR-Level': { type: 'string', description: 'The error-correction level that the symbol has.' },
      'QR-Scannability': {
        type: 'string',
        description:
          'Of designed images: `excellent`, `good` or `fair`, by what stress they can be read through. `poor` when the ' +
          'colours are weak or inverted.',
      },
    },
    content: Object.fromEntries(
      formats.map((format) => [mediaTypes[format], { schema: Type.Unsafe({ type: 'string', format: 'binary' }) }]),
    ),
  },
  304: { description: 'The image has not changed.', type: 'null' },
})

/** Answers with an image, or with 304 when the caller has it. */
export function sendImage(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, tag, level, scannability }: Image,
  { name, format }: { name: string; format: DesignFormat },
): FastifyReply {
  reply.headers({
    etag: tag,
    'x-content-type-options': 'nosniff',
    'qr-level': level,
    ...(scannability && { 'qr-scannability': scannability }),
  })
  // A condition is for a picture that has an address (RFC 9110, 13.1.2): what is made on demand is answered each time.
  const isAddressed = request.method === 'GET' || request.method === 'HEAD'
  if (isAddressed && isNotModified(request.headers['if-none-match'], tag)) return reply.code(304).send()
  reply.headers({
    'content-type': mediaTypes[format],
    'content-disposition': `inline; filename="${name}.${format}"`,
    // An SVG opened by itself is a document: nothing in it may run or load, but for a logo that stands in it as data.
    'content-security-policy': "default-src 'none'; img-src data:; sandbox",
  })
  return reply.send(body)
}
