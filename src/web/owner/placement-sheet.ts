import type { Page } from '../../http/document.ts'
import { html } from '../../http/html.ts'
import type { Link } from '../../links/link.ts'
import type { Language } from '../../texts/language.ts'
import { placementTexts } from '../../texts/placements.ts'
import { labelTexts } from '../../texts/labels.ts'
import { linkName } from '../link-name.ts'
import { labelForm } from '../label-form.ts'
import type { OwnerAccess } from './access.ts'

/** The codes of all places of a link with their names, to be printed and cut apart. */
export function placementSheet(
  link: Link,
  { access, language, scripts }: { access: OwnerAccess; language: Language; scripts: string[] },
): Page {
  const texts = placementTexts[language]
  const title = texts.sheet(linkName(link))
  return {
    title,
    site: { language },
    styles: ['owner'],
    scripts,
    body: html`<main class="placement-sheet">
      <header>
        <p><a href="${access.page}#settings-placements">← ${texts.back}</a></p>
        <h1>${title}</h1>
        <p>${texts.sheetLead}</p>
        <p><button class="plain" data-print hidden>${texts.print}</button></p>
      </header>
      <details class="card settings-card placement-labels">
        <summary><h2>${labelTexts[language].title}</h2></summary>
        ${labelForm({ language, action: `${access.page}/labels.pdf`, campaigns: [], links: 1, hasPlacements: true, isOfLink: true })}
      </details>
      <ul>
        ${link.placements.map(({ id, name }) => {
          const place = name?.trim() || id
          return html`<li>
            <img
              class="qr"
              src="/${link.code}/qr.svg?placement=${id}"
              alt="${texts.downloads(place)}"
              width="224"
              height="224"
            />
            <p dir="auto">${place}</p>
          </li>`
        })}
      </ul>
    </main>`,
  }
}
