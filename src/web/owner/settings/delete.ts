import type { Page } from '../../../http/document.ts'
import { html, type Html } from '../../../http/html.ts'
import { ownerTexts } from '../../../texts/owner.ts'
import type { Notice, OwnerView } from '../view.ts'

/** The section that deletes the link. */
export function deleteSection({ token, language }: OwnerView, _notice: Notice | undefined): Html {
  return html`<section id="delete" aria-labelledby="delete-title">
    <h2 id="delete-title">${ownerTexts[language].sections.delete}</h2>
    <form class="card" method="post" action="/m/${token}">
      <p>
        This permanently deletes the link and everything stored about it. Printed codes stop working, and the code is
        never used again.
      </p>
      <input type="hidden" name="action" value="delete" />
      <label><input type="checkbox" name="sure" value="yes" required />I am sure</label>
      <button class="alarm">Delete</button>
    </form>
  </section>`
}

/** The page that confirms a deletion. */
export function deletedPage(code: string): Page {
  return {
    title: 'Deleted',
    site: { language: 'en' },
    body: html`<main class="narrow">
      <h1>Deleted</h1>
      <p>The link ${code} and everything stored about it have been deleted.</p>
      <p><a href="/">Create another link</a></p>
    </main>`,
  }
}
