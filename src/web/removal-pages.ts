import type { ErrorPages } from '../http/error-handler.ts'
import { html, type Html } from '../http/html.ts'

/**
 * What the error pages of removed codes add for visitors. They do not name the destination, which may still be
 * harmful.
 */
export function removalPages({
  contact,
  baseUrl,
}: {
  contact: string | undefined
  baseUrl: string | undefined
}): ErrorPages {
  const forOwners = html`<p>
    If this is your link, its management page says why it was removed.
    ${contact && html`Is this a mistake? ${contactLink(contact)}.`}
  </p>`
  const reportLink = (origin: string) => html`<p><a href="${origin}/report">Report another code</a></p>`
  return {
    code_removed(request) {
      // A custom domain serves short links only; the report page is on the service's own host.
      const origin = request.customDomain === undefined ? '' : baseUrl
      return html`${forOwners} ${origin !== undefined && reportLink(origin)}`
    },
    code_removed_by_law: () => forOwners,
  }
}

/** A link to the operator's contact address. */
export function contactLink(contact: string): Html {
  return html`<a href="${contact}" rel="noopener">Write to ${contact.replace(/^mailto:/, '')}</a>`
}
