import type { Page } from '../../../http/document.ts'
import { html, type Html } from '../../../http/html.ts'
import { addresses } from '../../../links/link.ts'
import { ownerTexts } from '../../../texts/owner.ts'
import { tryTexts } from '../../../texts/try.ts'
import { imagePath } from '../../image-path.ts'
import { linkName } from '../../link-name.ts'
import { reachabilityWarning } from '../../reachability.ts'
import { scanPanel } from './scan-panel.ts'
import { sizePanel } from './size-panel.ts'
import type { TryView } from './view.ts'

/** The page on which an owner scans a code from the screen before it is printed. */
export function tryPage(view: TryView): Page {
  const { link, access, language, scripts } = view
  const texts = tryTexts[language]
  const isSuspended = link.suspension !== null
  return {
    title: texts.title(linkName(link)),
    site: { language },
    styles: ['try'],
    scripts: isSuspended ? [] : scripts,
    body: html`<main class="try">
      <p><a href="${access.page}">← ${texts.back}</a></p>
      <h1>${texts.heading}</h1>
      ${isSuspended ? html`<p class="note alarm">${texts.suspended}</p>` : trial(view)}
    </main>`,
  }
}

function trial(view: TryView): Html {
  const { link, origin, language } = view
  const texts = tryTexts[language]
  return html`<p><b lang="" dir="auto">${linkName(link)}</b> · ${texts.lead}</p>
    ${!link.active && html`<p class="note warning">${texts.paused}</p>`} ${reachabilityWarning(origin, language)}
    <p class="note try-on-phone">${texts.onPhone}</p>
    <div class="try-layout">${sizePanel(view, codeImage(view))} ${scanPanel(view)}</div>`
}

function codeImage({ link, placement, origin, language }: TryView): { path: string; alt: string } {
  const path =
    placement === undefined ? imagePath(link) : `/${link.code}/qr.svg?placement=${placement.id}&v=${link.revision}`
  return { path, alt: ownerTexts[language].code(addresses(link.code, origin).short_url) }
}
