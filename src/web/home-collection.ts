import { html, type Html } from '../http/html.ts'
import { ownValue } from '../lib/own-value.ts'
import { collectionTexts } from '../texts/collection.ts'
import { homeTexts } from '../texts/home.ts'
import type { Language } from '../texts/language.ts'
import type { Problem } from '../http/problem.ts'

/** The form field of the collection's token. */
const COLLECTION = 'collection'

/** A form that was refused, and the collection that it names. */
interface Refused {
  problem: Problem
  collection?: string | undefined
}

/** The collection that a new link joins. Only a browser that keeps some shows the field: its script fills it. */
export function collectionField(language: Language, refused: Refused | undefined): Html {
  const texts = homeTexts[language].collection
  const fault = isCollectionAtFault(refused) && ownValue(texts.faults, refused?.problem.code ?? '')
  const chosen = refused?.collection
  const marks = html`aria-invalid="true" aria-describedby="field-collection-fault" autofocus`
  return html`<div
    class="field home-collection"
    data-unnamed="${collectionTexts[language].unnamed}"
    ${!fault && html` hidden`}
  >
    <label for="field-collection">${texts.label}</label>
    <select id="field-collection" name="${COLLECTION}" autocomplete="off" ${fault && marks}>
      <option value="">${texts.none}</option>
      ${chosen && html`<option value="${chosen}" selected>${texts.chosen}</option>`}
    </select>
    ${fault && html`<p class="fault" id="field-collection-fault">${fault}</p>`}
  </div>`
}

/** Whether a form was refused for its collection. */
export function isCollectionAtFault(refused: Refused | undefined): boolean {
  return refused?.problem.code === 'collection_not_found' || refused?.problem.code === 'collection_full'
}

/** The collection that a form names. */
export function collectionIn(form: URLSearchParams): string | undefined {
  return form.get(COLLECTION)?.trim().slice(0, 100) || undefined
}
