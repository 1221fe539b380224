import type { OwnerAccess } from './access.ts'
import type { Page } from '../../http/document.ts'
import type { ChangeOptions } from '../../links/change.ts'
import type { Client } from '../../links/client.ts'
import type { OwnedLink } from '../../links/design.ts'
import { entityTag, type Totals } from '../../links/link.ts'
import type { Links } from '../../links/open.ts'
import type { Shares } from '../../shares/open.ts'
import type { Language } from '../../texts/language.ts'
import type { Refused } from './view.ts'

/** A form that the owner has sent. */
export interface Submission {
  links: Links
  /** Changes the link for the client who has sent the form. */
  change: (owned: OwnedLink, body: object, options?: Pick<ChangeOptions, 'ifMatch' | 'approve'>) => Promise<OwnedLink>
  shares: Shares
  /** The counts of a link. */
  totals: (linkId: number) => Promise<Totals>
  client: Client
  access: OwnerAccess
  form: URLSearchParams
  language: Language
  /** Whether invisible characters around an address were dropped so far. */
  isTrimmed: () => boolean
  /** The paths of the scripts of the settings. */
  scripts: string[]
}

/**
 * What follows: a redirect to the page with a notice of this name, to the element `at` when there is one; the page with what was
 * refused; or another page.
 */
export type Outcome = { done: string; at?: string; isTrimmed?: boolean } | { refused: Refused } | { page: Page }

/** What a form of the owner's page does. */
export type Action = (submission: Submission) => Promise<Outcome>

/** The `If-Match` of a form: a page that was opened before another change must not silently undo that. */
export function ifMatchOf(form: URLSearchParams): string {
  return entityTag({ revision: Number(form.get('revision')) })
}
