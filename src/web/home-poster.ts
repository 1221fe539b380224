import { html, type Html } from '../http/html.ts'
import { createEncodeText } from '../qr/matrix.ts'
import { traceOutline } from '../qr/outline.ts'
import { printedAddress } from '../qr/print/printed-address.ts'
import { homeTexts } from '../texts/home.ts'
import type { Language } from '../texts/language.ts'

/** The dark modules of a code: the data of an SVG path, and the modules of a side. */
export interface PosterCode {
  path: string
  size: number
}

/** Stands for a random code, which is as long. It is reserved: nobody's link is at its address. */
export const PLACEHOLDER_CODE = 'sitemap'
/** Modules of light space around the code. */
const QUIET_ZONE = 4

/** Returns a function that draws the code of a text; it keeps the latest one, as nearly all requests have the same. */
export function createPosterCode(): (text: string) => PosterCode {
  const encode = createEncodeText()
  let latest: { text: string; code: PosterCode } | undefined
  return (text) => {
    if (latest?.text === text) return latest.code
    const symbol = encode(text, { level: 'M' })
    const code = { path: traceOutline(symbol), size: symbol.size }
    latest = { text, code }
    return code
  }
}

/** The page to print with a code as the link's will be, drawn as `qr/design/poster-pdf.ts` does; the script keeps it up to date. */
export function poster({ language, origin, code }: { language: Language; origin: string; code: PosterCode }): Html {
  const texts = homeTexts[language].live
  const address = printedAddress(origin, '·······')
  const side = code.size + 2 * QUIET_ZONE
  return html`<aside class="home-side" aria-label="${texts.preview}">
    <figure class="home-poster">
      <p class="home-poster-title" data-size="1" dir="auto">${texts.scan}</p>
      <svg
        viewBox="${-QUIET_ZONE} ${-QUIET_ZONE} ${side} ${side}"
        shape-rendering="crispEdges"
        role="img"
        aria-label="${texts.picture.replace('{address}', address)}"
      >
        <path fill="currentColor" fill-rule="evenodd" d="${code.path}" />
      </svg>
      <p class="home-poster-link">${address}</p>
    </figure>
    <p class="home-caption quiet small">${texts.placeholder}</p>
  </aside>`
}
