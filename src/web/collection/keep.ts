import { html, type Html } from '../../http/html.ts'
import { collectionTexts } from '../../texts/collection.ts'
import type { Language } from '../../texts/language.ts'
import { addressControls, type PrivateAddress } from '../address-controls.ts'
import { copyingData } from '../copyable.ts'
import type { KeptCollection } from '../my-links/kept-collections.ts'
import { pathOf, type CollectionView } from './view.ts'

/** How its owner finds the page again: unfolded while nothing else is there, or after its creation. */
export function keepSection(view: CollectionView): Html {
  const { token, overview, origin, language, isCreated } = view
  const texts = collectionTexts[language].keep
  const kept = keptCollection(token, overview)
  return html`<details
    class="keep card settings-card"
    id="keep"
    data-collection="${JSON.stringify(kept)}"
    data-texts="${JSON.stringify(texts.island)}"
    ${copyingData(language)}
    ${isCreated && html` data-new`}
    ${(isCreated || overview.links === 0) && html` open`}
  >
    <summary>
      <h2>${texts.title}</h2>
      <span class="settings-value quiet small"></span>
    </summary>
    <p><strong>${texts.only}</strong> ${texts.more}</p>
    ${addressControls(addressOf(origin, token, overview.name, language), language)}
    <p class="hint">${texts.seen} <a href="#settings">${texts.renew}</a></p>
  </details>`
}

/** What a browser keeps of a collection. */
export function keptCollection(token: string, { name, createdAt }: { name: string | null; createdAt: number }) {
  return { token, name, created_at: new Date(createdAt).toISOString() } satisfies KeptCollection
}

/** The private address of a collection, with the message that a person sends to themselves. */
export function addressOf(origin: string, token: string, name: string | null, language: Language): PrivateAddress {
  const { unnamed, keep } = collectionTexts[language]
  const [shown, path] = [name?.trim() || unnamed, pathOf({ token })]
  const address = origin + path
  return { path, address, message: keep.message(shown, address), fileName: keep.fileName(shown) }
}
