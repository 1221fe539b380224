import { plainText } from './cells.ts'
import { defineDimension, type Words } from './dimension.ts'

/** The placements of one link, at most. */
export const MAX_PLACEMENTS = 100

/** The id in `?qr=<id>`: the mark of a printed code that hangs in one place. `1` is the mark of codes without a place. */
const mark = /[?&]qr=([\w-]{1,32})(?:&|$)/

const isId = (text: string) => /^[\w-]{1,32}$/.test(text)

const value: Words['value'] = (told, names) => names.placement?.(told.value)

/**
 * The placement whose code was scanned, by its id; null for a visit without one. Only ids that the link has at the visit count: what
 * strangers make up is recorded nowhere.
 */
export const placement = defineDimension({
  ...plainText,
  name: 'placement',
  read: ({ url, placements }): string | null =>
    placements === null ? null : (placements().get(mark.exec(url)?.[1]?.toLowerCase() ?? '') ?? null),
  // The owner chooses them.
  isOpen: false,
  rest: '',
  // With those that were removed meanwhile there may be more, of which these are the most frequent.
  top: MAX_PLACEMENTS,
  parse(column, cell): string {
    if (isId(cell)) return cell
    throw new Error(`${column} must be the id of a placement, 1 to 32 characters of A-Z, a-z, 0-9, "-" and "_"`)
  },
  filter: {
    form: {
      schema: { pattern: '^(?:~|[A-Za-z0-9_-]{1,32})$' },
      rule: 'must be the id of a placement, or ~ for visits without one',
    },
    example: 'shop-window',
  },
  condition: {
    description: 'Placements, by their ids. One that the link no longer has is never met.',
    form: {
      schema: { pattern: '^[A-Za-z0-9_-]{1,32}$' },
      rule: 'must be the id of a placement: 1 to 32 characters of A-Z, a-z, 0-9, "-" and "_"',
      example: 'shop-window',
      max: MAX_PLACEMENTS,
    },
    ignoresCase: true,
  },
  panel: 2,
  words: {
    en: { heading: 'Placements', value, rest: 'No placement' },
    de: { heading: 'Platzierungen', value, rest: 'Ohne Platzierung' },
  },
})
