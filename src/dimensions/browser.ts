import { plainText, TOP } from './cells.ts'
import { defineDimension } from './dimension.ts'

export const browser = defineDimension({
  ...plainText,
  name: 'browser',
  read: ({ agent }) => agent.browser,
  isOpen: false,
  top: TOP,
  filter: { example: 'Firefox' },
  condition: undefined,
  panel: 8,
  words: { en: { heading: 'Browsers' }, de: { heading: 'Browser' } },
})
