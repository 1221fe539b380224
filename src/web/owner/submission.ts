import type { Page } from '../../http/document.ts'
import type { Drawing } from '../../links/design.ts'
import type { Links } from '../../links/open.ts'
import type { Language } from '../../texts/language.ts'
import type { Refused } from './view.ts'

/** A form that the owner has sent. */
export interface Submission {
  links: Pick<Links, 'readByToken' | 'checkDesign' | 'change' | 'delete' | 'history'>
  token: string
  form: URLSearchParams
  language: Language
  drawing: Drawing
}

/**
 * What follows: a redirect to the page with a notice of this name, to the element `at` when there is one; the page with what was
 * refused; or another page.
 */
export type Outcome = { done: string; at?: string } | { refused: Refused } | { page: Page }

/** What a form of the owner's page does. */
export type Action = (submission: Submission) => Promise<Outcome>
