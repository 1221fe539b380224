import { html, type Html } from '../../http/html.ts'
import { addresses } from '../../links/link.ts'
import { keepTexts } from '../../texts/keep.ts'
import { ownerTexts } from '../../texts/owner.ts'
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

/**
 * The private address of this page, and what keeps it. Without scripts there is the e-mail, and a bookmark; the script adds
 * buttons that need it, and says in the empty paragraph whether this browser keeps the address.
 */
function keepControls(view: OwnerView): Html {
  const { access, origin, language, link } = view
  const texts = keepTexts[language]
  const address = origin + access.page
  const message = texts.message(linkName(link), addresses(link.code, origin).short_url, address)
  return html`<p><strong>${texts.only}</strong> ${texts.more}</p>
    <p class="keep-address"><a href="${access.page}">${address}</a></p>
    <noscript><p class="hint">${texts.bookmark}</p></noscript>
    <p class="row">
      <a class="button plain" href="${mailTo(message)}" data-send="${JSON.stringify(message)}">${texts.send}</a>
      <button type="button" class="plain" data-copy="${address}" aria-label="${texts.copyIt}" hidden>
        ${texts.copy}
      </button>
      <button type="button" class="plain" data-save aria-label="${texts.saveIt}" hidden>${texts.save}</button>
    </p>
    <div class="keep-here" hidden>
      <p role="status"></p>
      <button type="button" class="bare"></button>
    </div>`
}

interface Message {
  title: string
  text: string
}

/** An e-mail to nobody yet; its lines end with CR and LF (RFC 6068, section 5). */
function mailTo({ title, text }: Message): string {
  const encode = (part: string) => encodeURIComponent(part.replaceAll('\n', '\r\n'))
  return `mailto:?subject=${encode(title)}&body=${encode(text)}`
}
