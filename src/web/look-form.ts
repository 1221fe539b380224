import { html, type Html } from '../http/html.ts'
import { collectionTexts } from '../texts/collection.ts'
import type { Language } from '../texts/language.ts'

/** On the page of a link in a collection: keeps the saved design of the link as a look. */
export function lookForm(
  { collection, code, formKey }: { collection: string; code: string; formKey: string },
  language: Language,
): Html {
  const texts = collectionTexts[language].looks
  return html`<form class="card" method="post" action="${collection}">
    <input type="hidden" name="idempotency_key" value="${formKey}" />
    <input type="hidden" name="action" value="save-look" />
    <input type="hidden" name="code" value="${code}" />
    <h3>${texts.keep}</h3>
    <label for="look-name">${texts.name}</label>
    <p class="hint" id="look-hint">${texts.nameHint}</p>
    <input id="look-name" name="name" type="text" required maxlength="40" dir="auto" aria-describedby="look-hint" />
    <p class="settings-buttons"><button class="plain">${texts.keepButton}</button></p>
  </form>`
}
