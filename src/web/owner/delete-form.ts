import type { Page } from '../../http/document.ts'
import { html, type Html } from '../../http/html.ts'

/** The form that deletes a link. */
export function deleteForm(action: string): Html {
  return html`<form method="post" action="${action}">
    <p>
      This permanently deletes the link and everything stored about it. Printed codes stop working, and the code is
      never used again.
    </p>
    <input type="hidden" name="action" value="delete" />
    <label><input type="checkbox" name="sure" value="yes" required />I am sure</label>
    <button class="alarm">Delete</button>
  </form>`
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
