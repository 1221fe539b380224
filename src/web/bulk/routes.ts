import { pageLanguage } from '../../http/accept.ts'
import { addVary } from '../../http/compress.ts'
import { sendPage } from '../../http/document.ts'
import { route, type Route } from '../../http/route.ts'
import { sendCsv } from '../../links/bulk/bulk-files.ts'
import { FORM_LIMIT } from '../read-form.ts'
import { bulkPage } from './page.ts'
import { sampleList } from './sample.ts'
import { islandOf, takeList, type BulkPageNeeds } from './take-list.ts'

const hidden = { schema: { hide: true } }

/** The page that creates many links, its form, and its sample file: `/bulk` */
export function bulkPageRoutes(needs: BulkPageNeeds): Record<'show' | 'create' | 'sample', Route> {
  return {
    show: route({
      ...hidden,
      async handler(request, reply) {
        addVary(reply, 'accept-language')
        // The form carries an idempotency key: no cache may serve it to others.
        reply.header('cache-control', 'private, no-cache')
        const origin = needs.origin.of(request)
        const page = bulkPage({
          language: pageLanguage(request),
          origin,
          creation: needs.creation.mode,
          island: islandOf(needs, request),
        })
        return sendPage(reply, { ...page, publicAt: origin })
      },
    }),
    create: route({
      ...hidden,
      config: { acceptsFile: true, work: 'batches' },
      ...needs.limits.creation('bulk'),
      bodyLimit: FORM_LIMIT,
      handler: (request, reply) => takeList(needs, request, reply),
    }),
    sample: route({
      ...hidden,
      async handler(request, reply) {
        addVary(reply, 'accept-language')
        return sendCsv(reply, sampleList(pageLanguage(request)))
      },
    }),
  }
}
