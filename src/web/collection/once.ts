import type { Page } from '../../http/document.ts'
import { html } from '../../http/html.ts'
import { collectionTexts } from '../../texts/collection.ts'
import type { Language } from '../../texts/language.ts'
import { oncePage } from '../owner/settings/once-page.ts'
import { addressOf, keptCollection } from './keep.ts'

/** A collection with its new token. */
interface Renewed {
  origin: string
  token: string
  replaced: string
  collection: { name: string | null; createdAt: number }
}

/** Shows the new address of a collection, which no other response has. */
export function rotatedPage(
  { origin, token, replaced, collection }: Renewed,
  { language, scripts }: { language: Language; scripts: string[] },
): Page {
  const { title, lead, label, open } = collectionTexts[language].rotated
  const { address, fileName } = addressOf(origin, token, collection.name, language)
  return oncePage({
    language,
    title,
    lead,
    label,
    secret: address,
    file: fileName,
    keptCollection: { collection: keptCollection(token, collection), replaced },
    // The link to the new page is not a new window: it is the use that ends the old address.
    open: { text: open, url: address, isNewWindow: false },
    scripts,
  })
}

/** What follows the end of a collection. @param deleted how many links were deleted with it, if they were to be */
export function endedPage(language: Language, deleted: number | undefined): Page {
  const texts = collectionTexts[language].ended
  return {
    title: texts.title,
    site: { language },
    styles: ['owner'],
    body: html`<main class="narrow">
      <h1>${texts.title}</h1>
      <p>${deleted === undefined ? texts.kept : texts.deleted(deleted)}</p>
      <p><a class="button" href="/">${texts.home}</a></p>
    </main>`,
  }
}
