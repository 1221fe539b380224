import { html, type Html } from '../http/html.ts'
import { keepTexts } from '../texts/keep.ts'
import type { Language } from '../texts/language.ts'

/** A message that a person sends to themselves. */
export interface Message {
  title: string
  text: string
}

/** A private address. */
export interface PrivateAddress {
  /** Its path in this service. */
  path: string
  address: string
  message: Message
  /** What the file with the message is called. */
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
      <button type="button" class="plain" data-save="${fileName}" aria-label="${texts.saveIt}" hidden>
        ${texts.save}
      </button>
    </p>
    <div class="keep-here" hidden>
      <p role="status"></p>
      <button type="button" class="bare"></button>
    </div>`
}

/** An e-mail to nobody yet; its lines end with CR and LF (RFC 6068, section 5). */
export function mailTo({ title, text }: Message): string {
  const encode = (part: string) => encodeURIComponent(part.replaceAll('\n', '\r\n'))
  return `mailto:?subject=${encode(title)}&body=${encode(text)}`
}
