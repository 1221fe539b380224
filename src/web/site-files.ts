import { entityTagOf, isNotModified } from '../http/entity-tag.ts'
import { route, type Route } from '../http/route.ts'
import { icons } from '../styles/stylesheets.ts'

/** Robots may read what people share. Addresses that hold a token are secret, whoever leaks them. */
const robots = `User-agent: *
Disallow: /api/
Disallow: /m/
Disallow: /c/collection_
Disallow: /s/
`

/** What a browser shows for the service on a home screen (Web Application Manifest). */
const manifest = {
  name: 'quirl',
  short_name: 'quirl',
  description: 'Short links and dynamic QR codes without an account.',
  start_url: '/',
  display: 'minimal-ui',
  background_color: '#fbfaf5',
  theme_color: '#fbfaf5',
  icons: [
    { src: '/assets/quirl.svg', type: 'image/svg+xml', sizes: 'any' },
    { src: '/assets/icon-180.png', type: 'image/png', sizes: '180x180' },
    { src: '/assets/icon-512.png', type: 'image/png', sizes: '512x512' },
  ],
}

/** Files with fixed names, which browsers and robots look for. */
export const siteFiles: { path: string; route: Route }[] = [
  { path: '/robots.txt', route: fileRoute(Buffer.from(robots), 'text/plain; charset=utf-8') },
  { path: '/favicon.ico', route: fileRoute(icons.ico, 'image/x-icon') },
  { path: '/assets/quirl.svg', route: fileRoute(icons.svg, 'image/svg+xml') },
  { path: '/assets/icon-180.png', route: fileRoute(icons.small, 'image/png') },
  { path: '/assets/icon-512.png', route: fileRoute(icons.large, 'image/png') },
  {
    path: '/assets/quirl.webmanifest',
    route: fileRoute(Buffer.from(JSON.stringify(manifest)), 'application/manifest+json'),
  },
]

function fileRoute(content: Buffer, type: string): Route {
  const tag = entityTagOf(content)
  const headers = { etag: tag, 'cache-control': 'public, max-age=3600', 'x-content-type-options': 'nosniff' }
  return route({
    schema: { hide: true },
    config: { onDomains: true },
    async handler(request, reply) {
      reply.headers(headers)
      if (isNotModified(request.headers['if-none-match'], tag)) return reply.code(304).send()
      return reply.type(type).send(content)
    },
  })
}
