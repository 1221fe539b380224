import { html, type Html } from '../../http/html.ts'

/** Longer ones are cut by whoever shows them. */
const MAX_DESCRIPTION = 200

/** A text as the description of a page: in one line, and short. */
export function descriptionOf(text: string): string {
  const characters = Array.from(text.replaceAll(/\s+/g, ' ').trim())
  return characters.length <= MAX_DESCRIPTION
    ? characters.join('')
    : `${characters.slice(0, MAX_DESCRIPTION).join('')}…`
}

/** The elements of the head that say which page this is, whatever address it was opened at. */
export function addressHead(url: string): Html {
  return html`<link rel="canonical" href="${url}" /> <meta property="og:url" content="${url}" />`
}
