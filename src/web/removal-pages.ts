import type { ErrorPages } from '../http/error-handler.ts'
import { html, type Html } from '../http/html.ts'

/**
 * What a visitor of a removed code reads, below the error's own sentence. Where the code led is not said: it would lead
 * there all the same.
 */
export function removalPages({
  contact,
  baseUrl,
}: {
  contact: string | undefined
  baseUrl: string | undefined
}): ErrorPages {
  const mistake = html`<p>
    If the link is yours, its own page says why it was removed.
    ${contact && html`Is this a mistake? ${contactLink(contact)}.`}
  </p>`
  const reportLink = (origin: string) => html`<p><a href="${origin}/report">Report another code</a></p>`
  return {
    code_removed(request) {
      // A custom domain has short links alone; the page of reports is on the service's own host.
      const origin = request.customDomain === undefined ? '' : baseUrl
      return html`${mistake} ${origin !== undefined && reportLink(origin)}`
    },
    code_removed_by_law: () => mistake,
  }
}

/** How to write to whoever runs the service. */
export function contactLink(contact: string): Html {
  return html`<a href="${contact}" rel="noopener">Write to ${contact.replace(/^mailto:/, '')}</a>`
}
