import { hash } from 'node:crypto'
import { html, type Html } from '../../../http/html.ts'
import type { Picture } from '../kind.ts'

/** Longer ones are cut by whoever shows them. */
const MAX_DESCRIPTION = 200

/** A text as the description of a page: in one line, and short. */
export function descriptionOf(text: string): string {
  const characters = Array.from(text.replaceAll(/\s+/g, ' ').trim())
  return characters.length <= MAX_DESCRIPTION
    ? characters.join('')
    : `${characters.slice(0, MAX_DESCRIPTION).join('')}…`
}

/** The elements of the head that say which page this is, whatever its address was, and which picture stands for it. */
export function addressHead(url: string, picture: Picture): Html {
  // Messengers keep a picture by its address: another picture needs another one.
  const version = hash('sha256', JSON.stringify(picture)).slice(0, 8)
  return html`<link rel="canonical" href="${url}" />
    <meta property="og:url" content="${url}" />
    <meta property="og:image" content="${url}/og.png?v=${version}" />
    <meta property="og:image:width" content="1200" />
    <meta property="og:image:height" content="630" />
    <meta name="twitter:card" content="summary_large_image" />`
}
