import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { FastifyBaseLogger } from 'fastify'
import { route, type Route } from '../http/route.ts'
import { fontFile } from '../qr/font-file.ts'

/** Where the live preview of designs is served. */
export interface PreviewAssets {
  script: string
  font: string
}

/** What is served there. */
export interface BuiltAsset {
  /** A hash of the content in it lets caches keep it for ever. */
  path: string
  route: Route
}

/** As it lies both beside the sources and beside what they are compiled to. */
const bundle = new URL('../../dist/client/design.js', import.meta.url)

/** What the live preview is made of; undefined, and a line in the log, when it was not built. */
export function readPreview(
  log: Pick<FastifyBaseLogger, 'warn'>,
): { preview: PreviewAssets; files: BuiltAsset[] } | undefined {
  if (!existsSync(bundle)) {
    log.warn('no live preview of designs: dist/client/design.js is missing, which "npm run prepare" builds')
    return undefined
  }
  const script = readAsset({ name: 'design', ending: 'js', type: 'text/javascript; charset=utf-8', file: bundle })
  const font = readAsset({ name: 'letters', ending: 'txt', type: 'text/plain; charset=utf-8', file: fontFile })
  return { preview: { script: script.path, font: font.path }, files: [script, font] }
}

interface Asset {
  name: string
  ending: string
  type: string
  file: URL
}

function readAsset({ name, ending, type, file }: Asset): BuiltAsset {
  const content = readFileSync(file)
  let packed: Buffer | undefined
  const served = route<{ Headers: { 'accept-encoding'?: string } }>({
    schema: { hide: true },
    async handler(request, reply) {
      reply.headers({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
      })
      if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(content)
      packed ??= gzipSync(content)
      return reply.header('content-encoding', 'gzip').send(packed)
    },
  })
  return { path: `/assets/${name}-${hash('sha256', content, 'hex').slice(0, 16)}.${ending}`, route: served }
}

/** A file of the pages, as it stands in `assets`. */
export function assetRoute(name: string, type: string): Route {
  const content = readFileSync(new URL(`assets/${name}`, import.meta.url))
  const headers = {
    'content-type': type,
    'cache-control': 'public, max-age=3600',
    'x-content-type-options': 'nosniff',
  }
  return route({
    schema: { hide: true },
    config: { onDomains: true },
    handler: async (_request, reply) => reply.headers(headers).send(content),
  })
}
