import { html, type Html } from '../../../http/html.ts'
import { ownerTexts } from '../../../texts/owner.ts'
import type { Notice, OwnerView } from '../view.ts'

/** The section of the settings. */
export function settingsSection({ link, token, language }: OwnerView, _notice: Notice | undefined): Html {
  const { active } = link
  return html`<section id="settings" aria-labelledby="settings-title">
    <h2 id="settings-title">${ownerTexts[language].sections.settings}</h2>
    <form class="card" method="post" action="/m/${token}">
      <p>
        ${active ? 'Until you resume the link, visitors see a page that says there is no such code.' : 'Visitors see a page that says there is no such code.'}
      </p>
      <input type="hidden" name="action" value="${active ? 'pause' : 'resume'}" />
      <button class="plain">${active ? 'Pause' : 'Resume'}</button>
    </form>
  </section>`
}
