import type { Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'
import { yieldEvery } from '../../lib/yield-every.ts'
import { bulkTexts } from '../../texts/bulk.ts'
import { createdTexts } from '../../texts/created.ts'
import { createdOf, type Results } from './results.ts'

/** How long visits may wait while codes are drawn, in milliseconds. */
const SLICE_MS = 5

/** A page of labelled QR codes, which a browser prints on A4. */
export async function sheetPage(results: Results, svgOf: (code: string) => string): Promise<Page> {
  const { language } = results
  const texts = bulkTexts[language]
  const labels: Html[] = []
  const pause = yieldEvery(SLICE_MS)
  for (const { row, link } of createdOf(results)) {
    const [host, path] = link.short_url.replace(/^https?:\/\//, '').split('/', 2)
    // The program itself has drawn it, and escapes its text.
    const drawn = svgOf(link.code).replace(/^<\?xml[^>]*\?>\s*/, '')
    const title = html`<title>${createdTexts[language].image(link.short_url)}</title>`.markup
    const svg: Html = { markup: drawn.replace('<title>QR code</title>', () => title) }
    labels.push(
      html`<li>
        ${svg} ${row.title && html`<strong>${row.title}</strong>`} <span>${host}/<wbr />${path}</span>
      </li>`,
    )
    await pause()
  }
  return {
    title: texts.sheetTitle,
    site: { language, section: 'bulk' },
    styles: ['bulk'],
    body: html`<main class="bulk">
      <h1 class="bulk-screen">${texts.sheetTitle}</h1>
      <ul class="bulk-sheet">
        ${labels}
      </ul>
    </main>`,
  }
}
