import { html, type Html } from '../http/html.ts'
import { keepTexts } from '../texts/keep.ts'
import type { Language } from '../texts/language.ts'
import { mailTo, type Message } from './mail-to.ts'

/** A private address. */
export interface PrivateAddress {
  /** Its path in this service. */
  path: string
  address: string
  message: Message
  /** What the file with the message is called, without its ending. */
  fileName: string
}

/**
 * A private address, and what keeps it. Without scripts there is the e-mail, and a bookmark; the script (`client/keep-address.ts`)
 * adds buttons that need it, and says in the empty paragraph whether this browser keeps the address.
 */
export function addressControls({ path, address, message, fileName }: PrivateAddress, language: Language): Html {
  const texts = keepTexts[language]
  return html`<p class="keep-address"><a href="${path}">${address}</a></p>
    <noscript><p class="hint">${texts.bookmark}</p></noscript>
    <p class="row">
      <a class="button plain" href="${mailTo(message)}" data-send="${JSON.stringify(message)}">${texts.send}</a>
      <button type="button" class="plain" data-copy="${address}" aria-label="${texts.copyIt}" hidden>
        ${texts.copy}
      </button>
      <button type="button" class="plain" data-save="${fileName}.txt" aria-label="${texts.saveIt}" hidden>
        ${texts.save}
      </button>
    </p>
    <div class="keep-here" hidden>
      <p role="status"></p>
      <button type="button" class="bare"></button>
    </div>`
}

/** Saves a text as a file, without scripts: the file is in the link. @param name without the ending */
export function saveLink(text: string, name: string, content: string): Html {
  const url = `data:text/plain;charset=utf-8,${encodeURIComponent(content)}`
  return html`<a class="button plain" href="${url}" download="${name}.txt">${text}</a>`
}
