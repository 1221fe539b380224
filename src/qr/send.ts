import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from '#typebox'
import { isNotModified } from '../http/entity-tag.ts'
import { sends } from '../http/response-headers.ts'
import type { DesignFormat } from './design/job.ts'
import type { Image } from './images.ts'

export const mediaTypes = { png: 'image/png', svg: 'image/svg+xml', pdf: 'application/pdf' }

/** The OpenAPI responses of an image. */
export const imageResponse = (formats: DesignFormat[]) => ({
  200: {
    description: 'The image.',
    headers: sends('ETag', 'Content-Disposition', 'QR-Level', 'QR-Scannability', 'Quirl-Warning'),
    content: Object.fromEntries(
      formats.map((format) => [mediaTypes[format], { schema: Type.Unsafe({ type: 'string', format: 'binary' }) }]),
    ),
  },
  304: { description: 'The image has not changed.', type: 'null' },
})

/** Sends an image, or a 304 when the client has it. */
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
  // Only GET and HEAD can be conditional (RFC 9110, 13.1.2).
  const isConditional = request.method === 'GET' || request.method === 'HEAD'
  if (isConditional && isNotModified(request.headers['if-none-match'], tag)) return reply.code(304).send()
  reply.headers({
    'content-type': mediaTypes[format],
    'content-disposition': `inline; filename="${name}.${format}"`,
    // An SVG opened directly is a document: it may run and load nothing except an embedded logo.
    'content-security-policy': "default-src 'none'; img-src data:; sandbox",
  })
  return reply.send(body)
}
