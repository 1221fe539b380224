import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { FastifyBaseLogger } from 'fastify'
import { route, type Route } from '../http/route.ts'
import { fontFile } from '../qr/font-file.ts'
import { stylesheets } from '../styles/stylesheets.ts'

/** A file and its route. */
export interface Asset {
  /** Has a hash of the content, so that caches may keep the file for ever. */
  path: string
  route: Route
}

/** The paths of the islands by name (`src/web/client/islands`): `scriptsOf` returns those of a page. */
export type Islands = ReadonlyMap<string, string>

export interface Assets {
  /** Empty when the scripts were not built. */
  islands: Islands
  /** The path of the font of frames' texts. */
  font: string
  files: Asset[]
}

/** The paths of the scripts of a page, of those that were built: first the one that tells a person when another fails. */
export function scriptsOf(islands: Islands, ...names: string[]): string[] {
  return ['failure', ...names].flatMap((name) => islands.get(name) ?? [])
}

/** The same relative path from the sources and from the compiled files. */
const built = new URL('../../dist/client/', import.meta.url)

/** The files that pages load. Logs a warning when the scripts were not built. */
export function readAssets(log: Pick<FastifyBaseLogger, 'warn'>): Assets {
  const names = existsSync(built) ? readdirSync(built).filter((name) => name.endsWith('.js')) : []
  if (names.length === 0) {
    log.warn('pages have no scripts, so nothing is shown live: dist/client is missing; "npm run prepare" builds it')
  }
  const scripts = names.map((file) => ({
    name: file.slice(0, -'.js'.length),
    asset: hashedAsset({ file, type: 'text/javascript; charset=utf-8', content: readFileSync(new URL(file, built)) }),
  }))
  const font = hashedAsset({ file: 'letters.txt', type: 'text/plain; charset=utf-8', content: readFileSync(fontFile) })
  const styles = Object.values(stylesheets).map(({ path, content }) => ({
    path,
    route: assetRoute(content, 'text/css; charset=utf-8'),
  }))
  return {
    islands: new Map(scripts.map(({ name, asset }) => [name, asset.path])),
    font: font.path,
    files: [...scripts.map(({ asset }) => asset), font, ...styles],
  }
}

function hashedAsset({ file, type, content }: { file: string; type: string; content: Buffer }): Asset {
  const [name, ending] = file.split('.')
  const digest = hash('sha256', content, 'hex').slice(0, 16)
  return { path: `/assets/${name}-${digest}.${ending}`, route: assetRoute(content, type) }
}

function assetRoute(content: Buffer, type: string): Route {
  const headers = {
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  }
  return route({
    schema: { hide: true },
    config: { onDomains: true, isAsset: true },
    handler: async (_request, reply) => reply.headers(headers).send(content),
  })
}
