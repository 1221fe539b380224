import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { fontFile } from '../qr/font-file.ts'

/** Where the live preview of designs is served. */
export interface PreviewAssets {
  script: string
  font: string
}

/** As it lies both beside the sources and beside what they are compiled to. */
const bundle = new URL('../../dist/client/design.js', import.meta.url)

/**
 * Serves what the live preview is made of; undefined, and a line in the log, when it was not built. Names carry a hash
 * of the content, so that caches may keep them for ever.
 */
export function servePreview(app: FastifyInstance): PreviewAssets | undefined {
  if (!existsSync(bundle)) {
    app.log.warn('no live preview of designs: dist/client/design.js is missing, which "npm run prepare" builds')
    return undefined
  }
  return {
    script: serve(app, { name: 'design', ending: 'js', type: 'text/javascript; charset=utf-8', file: bundle }),
    font: serve(app, { name: 'roboto-bold', ending: 'woff', type: 'font/woff', file: fontFile }),
  }
}

interface Asset {
  name: string
  ending: string
  type: string
  file: URL
}

/** @returns the path that it is served at */
function serve(app: FastifyInstance, { name, ending, type, file }: Asset): string {
  const content = readFileSync(file)
  // A font in WOFF is packed already.
  const packed = type.startsWith('text/') ? gzipSync(content) : undefined
  const path = `/assets/${name}-${hash('sha256', content, 'hex').slice(0, 16)}.${ending}`
  app.get<{ Headers: { 'accept-encoding'?: string } }>(path, { schema: { hide: true } }, async (request, reply) => {
    reply.headers({
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    if (packed === undefined) return reply.send(content)
    reply.header('vary', 'accept-encoding')
    const takesPacked = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    return takesPacked ? reply.header('content-encoding', 'gzip').send(packed) : reply.send(content)
  })
  return path
}
