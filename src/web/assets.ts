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

/** A built file and its route. */
export interface BuiltAsset {
  /** Has a hash of the content, so that caches may keep the file for ever. */
  path: string
  route: Route
}

/** The same relative path from the sources and from the compiled files. */
const bundle = new URL('../../dist/client/design.js', import.meta.url)

/** The files of the live preview; undefined, after a warning in the log, when the script was not built. */
export function readPreview(
  log: Pick<FastifyBaseLogger, 'warn'>,
): { preview: PreviewAssets; files: BuiltAsset[] } | undefined {
  if (!existsSync(bundle)) {
    log.warn('the live preview of designs is off: dist/client/design.js is missing; "npm run prepare" builds it')
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
  let compressed: Buffer | undefined
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
      compressed ??= gzipSync(content)
      return reply.header('content-encoding', 'gzip').send(compressed)
    },
  })
  return { path: `/assets/${name}-${hash('sha256', content, 'hex').slice(0, 16)}.${ending}`, route: served }
}

/** A route that serves files of the folder `assets`, one after the other. */
export function assetRoute(names: string[], type: string): Route {
  const content = Buffer.concat(names.map((name) => readFileSync(new URL(`assets/${name}`, import.meta.url))))
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
