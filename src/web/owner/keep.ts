import { html, type Html } from '../../http/html.ts'
import { addresses } from '../../links/link.ts'
import { keepTexts } from '../../texts/keep.ts'
import { ownerTexts } from '../../texts/owner.ts'
import { addressControls } from '../address-controls.ts'
import { copyingData } from '../copyable.ts'
import { linkName } from '../link-name.ts'
import { keptLink } from '../my-links/kept-link.ts'
import type { OwnerView } from './view.ts'

/** How the owner finds this page again, after a creation: unfolded, and kept on this device by its script. */
export function keepPanel(view: OwnerView): Html | undefined {
  if (typeof view.access.credential !== 'string') return undefined
  const texts = keepTexts[view.language]
  return html`<div class="keep" ${keepData(view)} data-new>
    <h2>${texts.title}</h2>
    ${keepControls(view)}
  </div>`
}

/** The same on the page of an older link, folded. Who reads it through a collection keeps the address of that. */
export function keepSection(view: OwnerView): Html | undefined {
  if (typeof view.access.credential !== 'string') return undefined
  const texts = keepTexts[view.language]
  return html`<details class="keep card settings-card" id="keep" ${keepData(view)}>
    <summary>
      <h2>${texts.address}</h2>
      <span class="settings-value quiet small"></span>
    </summary>
    ${keepControls(view)}
    <p class="hint">${texts.seen} <a href="#settings-key">${texts.renew}</a></p>
  </details>`
}

/** The way back to the collection through which the page is read. */
export function collectionLink({ access: { collection }, language }: OwnerView): Html | undefined {
  return collection === undefined
    ? undefined
    : html`<p><a href="${collection}">← ${ownerTexts[language].toCollection}</a></p>`
}

function keepData({ link, access, design, language }: OwnerView): Html {
  const kept = typeof access.credential === 'string' && keptLink(link, access.credential, design)
  return html`data-link="${JSON.stringify(kept)}" data-texts="${JSON.stringify(keepTexts[language].island)}"
  ${copyingData(language)}`
}

function keepControls(view: OwnerView): Html {
  const { access, origin, language, link } = view
  const texts = keepTexts[language]
  const address = origin + access.page
  const message = texts.message(linkName(link), addresses(link.code, origin).short_url, address)
  const controls = { path: access.page, address, message, fileName: texts.fileName(link.code) }
  return html`<p><strong>${texts.only}</strong> ${texts.more}</p>
    ${addressControls(controls, language)}`
}
