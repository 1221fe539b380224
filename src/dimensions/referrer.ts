import { plainText, TOP } from './cells.ts'
import { defineDimension } from './dimension.ts'

/** The referrer's host; `direct` without one, null when the visitor opts out of tracking. */
export const referrer = defineDimension({
  ...plainText,
  name: 'referrer',
  read: ({ optsOut, referrer: host }): string | null => (optsOut ? null : host()),
  // Anyone can send any.
  isOpen: true,
  top: TOP,
  filter: { example: 'direct' },
  condition: undefined,
  panel: 6,
  words: {
    en: {
      heading: 'Referrers',
      value: ({ value }) => (value === 'direct' ? 'Directly, without a website' : value),
    },
    de: { heading: 'Verweisende Seiten', value: ({ value }) => (value === 'direct' ? 'Direkt, ohne Website' : value) },
  },
})
