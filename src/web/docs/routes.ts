import { pageLanguage } from '../../http/accept.ts'
import { addVary } from '../../http/compress.ts'
import { sendPage } from '../../http/document.ts'
import { entityTagOf, isNotModified } from '../../http/entity-tag.ts'
import type { Html } from '../../http/html.ts'
import type { DescribeApi } from '../../http/openapi.ts'
import type { Origin } from '../../http/origin.ts'
import { route, type Route } from '../../http/route.ts'
import type { CreationGate } from '../../keys/open.ts'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import type { ApiDocument } from './document.ts'
import { apiGuide, docsPage } from './page.ts'

export interface DocsNeeds {
  describe: DescribeApi
  origin: Origin
  creation: Pick<CreationGate, 'mode'>
}

/** Bytes of cached guides, one for each origin of the service. */
const CACHE_BYTES = 4 * 1024 * 1024

/** The API as a page: `/docs` */
export function docsRoute({ describe, origin, creation: { mode } }: DocsNeeds): Route {
  const guides = createBoundedCache<{ guide: Html; tag: string }>(CACHE_BYTES)

  async function guideOf(at: string): Promise<{ guide: Html; tag: string }> {
    const cached = guides.get(at)
    if (cached !== undefined) return cached
    const guide = apiGuide((await describe()) as ApiDocument, at, mode)
    const body = Buffer.from(guide.markup)
    const made = { guide, tag: entityTagOf(body) }
    guides.set(at, made, body.length)
    return made
  }

  return route({
    schema: { hide: true },
    async handler(request, reply) {
      const publicAt = origin.of(request)
      const { guide, tag } = await guideOf(publicAt)
      const language = pageLanguage(request)
      const tagged = `${tag.slice(0, -1)}-${language}-${mode}"`
      addVary(reply, 'accept-language')
      reply.headers({ etag: tagged, 'cache-control': 'public, no-cache' })
      if (isNotModified(request.headers['if-none-match'], tagged)) return reply.code(304).send()
      return sendPage(reply, { ...docsPage(guide, language, mode), publicAt })
    },
  })
}
