import { html } from '../http/html.ts'
import { countryCodes } from '../lib/countries.ts'
import { plainText, TOP } from './cells.ts'
import { defineDimension, type Words } from './dimension.ts'
import { flag } from './flag.ts'

const value: Words['value'] = (told, names) => html`${flag(told.value)} ${names.country(told.value)}`

/** ISO 3166-1 alpha-2. */
export const country = defineDimension({
  ...plainText,
  name: 'country',
  read: ({ place }) => place.country,
  isOpen: false,
  top: TOP,
  filter: { example: 'DE' },
  condition: {
    description: 'Countries (ISO 3166-1 alpha-2).',
    form: {
      schema: { pattern: '^[A-Z]{2}$' },
      rule: 'must be a country code of two capital letters (ISO 3166-1)',
      example: 'DE',
      max: 250,
    },
    errors: (codes) =>
      codes.flatMap((code, at): [number, string][] =>
        countryCodes.has(code) ? [] : [[at, 'is not a country code (ISO 3166-1)']],
      ),
  },
  panel: 4,
  words: { en: { heading: 'Countries', value }, de: { heading: 'Länder', value } },
})
