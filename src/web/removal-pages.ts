import type { ErrorPages } from '../http/error-handler.ts'
import { html, type Html } from '../http/html.ts'

/**
 * What a visitor of a removed code reads, below the error's own sentence. Where the code led is not said: it would lead
 * there all the same.
 */
export function removalPages(contact: string | undefined): ErrorPages {
  const mistake = html`<p>
    If the link is yours, its own page says why it was removed.
    ${contact && html`Is this a mistake? ${contactLink(contact)}.`}
  </p>`
  const report = html`<p><a href="/report">Report another code</a></p>`
  return {
    code_removed: html`${mistake} ${report}`,
    code_removed_by_law: mistake,
  }
}

/** How to write to whoever runs the service. */
export function contactLink(contact: string): Html {
  return html`<a href="${contact}" rel="noopener">Write to ${contact.replace(/^mailto:/, '')}</a>`
}
