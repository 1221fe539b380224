import { html, type Html } from '../http/html.ts'
import { copyingTexts } from '../texts/copying.ts'
import type { Language } from '../texts/language.ts'

/** A text with the button that copies it, which a script shows: `client/copy.ts` */
export function copyable(text: string, label: string): Html {
  return html`<code>${text}</code>
    <button type="button" class="bare copy" data-copy="${text}" aria-label="${label}: ${text}" hidden>${label}</button>`
}

/** What the buttons in an element say, as its attributes. */
export function copyingData(language: Language): Html {
  const { copied, byHand } = copyingTexts[language]
  return html`data-copied="${copied}" data-by-hand="${byHand}"`
}
