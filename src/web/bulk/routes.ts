import { pageLanguage } from '../../http/accept.ts'
import { addVary } from '../../http/compress.ts'
import { sendPage } from '../../http/document.ts'
import { route, type Route } from '../../http/route.ts'
import { sendCsv } from '../../links/bulk/bulk-files.ts'
import { createDesignerPictures } from '../designer/pictures.ts'
import { FORM_LIMIT } from '../read-form.ts'
import { bulkPage } from './page.ts'
import { islandOf, takeList, type BulkPageNeeds } from './take-list.ts'
import { writeRecords } from '../../lib/csv.ts'
import { bulkTexts } from '../../texts/bulk.ts'
import type { Language } from '../../texts/language.ts'

const hidden = { schema: { hide: true } }
const rows = {
  en: [
    ['https://example.com/menu', '', 'Menu at table 1', 'Tables'],
    ['https://example.com/menu?table=2', '', 'Menu at table 2', 'Tables'],
    ['https://example.com/offers', '', 'Poster in the window', 'Spring'],
  ],
  de: [
    ['https://example.com/karte', '', 'Karte an Tisch 1', 'Tische'],
    ['https://example.com/karte?tisch=2', '', 'Karte an Tisch 2', 'Tische'],
    ['https://example.com/angebote', '', 'Plakat im Fenster', 'Frühling'],
  ],
} satisfies Record<Language, string[][]>

/** The page that creates many links, its form, and its sample file: `/bulk` */
export function bulkPageRoutes(given: Omit<BulkPageNeeds, 'pictures'>): Record<'show' | 'create' | 'sample', Route> {
  const needs = { ...given, pictures: createDesignerPictures() }
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

/** A list to try out, which spreadsheets open: the mark at its start tells them that it is UTF-8. */
function sampleList(language: Language): string {
  const { target, alias, title, campaign } = bulkTexts[language].fields
  return `\uFEFF${writeRecords([[target, alias, title, campaign], ...rows[language]])}`
}
