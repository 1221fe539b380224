import type { Page } from '../../../http/document.ts'
import { html, type Html } from '../../../http/html.ts'
import { placementTexts } from '../../../texts/placements.ts'
import { printTexts } from '../../../texts/print.ts'
import { linkName } from '../../link-name.ts'
import { reachabilityWarning } from '../../reachability.ts'
import { printForm } from './form.ts'
import { preview } from './preview.ts'
import type { PrintView } from './view.ts'

/** The page on which an owner prints a code. */
export function printPage(view: PrintView): Page {
  const { link, access, language, origin, scripts } = view
  const texts = printTexts[language]
  const isSuspended = link.suspension !== null
  return {
    title: texts.title(linkName(link)),
    site: { language },
    styles: ['print'],
    scripts: isSuspended ? [] : scripts,
    hasDrawings: true,
    body: html`<main class="print">
      <header class="print-head">
        <p><a href="${access.page}">← ${placementTexts[language].back}</a></p>
        <h1>${texts.heading}</h1>
        <p><b lang="" dir="auto">${linkName(link)}</b></p>
        ${
          isSuspended
            ? html`<p class="note alarm">${texts.suspended}</p>`
            : html`${!link.active && html`<p class="note warning">${texts.paused}</p>`}
              ${reachabilityWarning(origin, language)}`
        }
      </header>
      ${!isSuspended && workspace(view)}
    </main>`,
  }
}

function workspace(view: PrintView): Html {
  return html`<div class="print-layout" data-busy="${printTexts[view.language].busy}">
    ${preview(view)} ${printForm(view)}
  </div>`
}
