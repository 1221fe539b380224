import type { Page } from '../../http/document.ts'
import type { Charge } from '../../links/charged.ts'
import type { Drawing, OwnedLink } from '../../links/design.ts'
import type { ChangeOptions } from '../../links/manage.ts'
import type { Totals } from '../../links/link.ts'
import type { Links } from '../../links/open.ts'
import type { Shares } from '../../shares/open.ts'
import type { Language } from '../../texts/language.ts'
import type { Refused } from './view.ts'

/** A form that the owner has sent. */
export interface Submission {
  links: Pick<Links, 'readByToken' | 'checkDesign' | 'checkWebhook' | 'delete' | 'rotate' | 'passwords' | 'history'> & {
    /** The client is charged for it. */
    change: (owned: OwnedLink, body: unknown, options: Omit<ChangeOptions, 'charge'>) => Promise<OwnedLink>
  }
  shares: Pick<Shares, 'create' | 'list' | 'revoke'>
  /** The counts of a link. */
  totals: (linkId: number) => Promise<Totals>
  /** Charges what counts as a creation. */
  charge: Charge
  token: string
  form: URLSearchParams
  language: Language
  drawing: Drawing
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
