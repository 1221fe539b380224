import { ownValue } from '../lib/own-value.ts'
import { plainText, TOP } from './cells.ts'
import { defineDimension } from './dimension.ts'

/** How the visitor reached the code: by scanning the QR image or by following the link. */
export type Source = 'qr' | 'link'

/** The marker of a QR image: `?qr=1` or with the id of a placement. */
const qrParameter = /[?&]qr(?:=[\w-]{1,32})?(?:&|$)/
/** Of a compact image, `.Q` at the end of the path. In one expression, both would take their check (`build/check-patterns.ts`) half a minute. */
const compactMarker = /^[^?]*\.[Qq](?:\?|$)/

export const source = defineDimension({
  ...plainText,
  name: 'source',
  read: ({ url }): Source => (qrParameter.test(url) || compactMarker.test(url) ? 'qr' : 'link'),
  text: (value: Source): string => value,
  journal: {
    write: (value: Source) => (value === 'qr' ? 1 : 0),
    read: (written): Source => (written === 1 ? 'qr' : 'link'),
  },
  isOpen: false,
  top: TOP,
  parse(_column: string, cell: string): Source {
    if (cell === 'qr' || cell === 'link') return cell
    throw new Error('source must be qr or link')
  },
  filter: { form: { schema: { pattern: '^(?:qr|link)$' }, rule: 'must be qr or link' }, example: 'qr' },
  condition: {
    description: 'How the visitor came: by scanning the QR code, or by the link.',
    one: true,
    names: ['qr', 'link'],
  },
  panel: 1,
  words: {
    en: { heading: 'Source', value: ({ value }) => ownValue({ qr: 'QR code', link: 'Link' }, value) },
    de: { heading: 'Weg zum Link', value: ({ value }) => ownValue({ qr: 'QR-Code', link: 'Link' }, value) },
  },
})
