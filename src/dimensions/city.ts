import { html } from '../http/html.ts'
import { plainText, TOP } from './cells.ts'
import { defineDimension, type Words } from './dimension.ts'
import { flag } from './flag.ts'

const value: Words['value'] = (told, names) =>
  told.country
    ? html`${flag(told.country)} ${told.value}<span class="unseen">, ${names.country(told.country)}</span>`
    : told.value

/** Cities of the same name in two countries are two values: their texts are joined by a tab. */
export const city = defineDimension({
  ...plainText,
  name: 'city',
  read: ({ place, optsOut }) => (optsOut ? null : place.city),
  text: (name, scan) => (name === null ? null : `${name}\t${scan.country ?? ''}`),
  tell(text) {
    const [name = null, code = ''] = text?.split('\t') ?? []
    return { value: name, country: code || null }
  },
  isOpen: false,
  top: TOP,
  // Of any country: a filter by country says which.
  filter: { example: 'Berlin' },
  condition: undefined,
  panel: 5,
  words: { en: { heading: 'Cities', value }, de: { heading: 'Städte', value } },
})
