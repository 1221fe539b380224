import { hash } from 'node:crypto'
import type { Collections } from '../../collections/open.ts'
import type { changeInBatches } from '../../collections/spreadsheet/change-in-batches.ts'
import type { Page } from '../../http/document.ts'
import type { Client } from '../../links/client.ts'
import type { ChargeNotFound } from '../../links/bulk/row-links.ts'
import type { IdempotentRequest } from '../../links/idempotency/idempotency.ts'
import type { Links } from '../../links/open.ts'
import type { CollectionShares } from '../../shares/of-collections.ts'
import type { Language } from '../../texts/language.ts'
import { FORM_KEY } from '../form-idempotency.ts'
import type { CollectionNotice, FormName } from './view.ts'

/** A form of the page. */
export interface CollectionSubmission {
  collections: Collections
  shares: CollectionShares
  links: Pick<Links, 'create' | 'readByToken' | 'deleteWithUndo' | 'undelete'>
  client: Client
  chargeNotFound: ChargeNotFound
  /** Checks the access code, where creation needs one. */
  requireCreation: () => Promise<void>
  token: string
  form: URLSearchParams
  language: Language
  /** The codes of all links that the list finds, on whatever page. */
  codesFound: () => Promise<string[]>
  /** Changes links; each row has the code of one. @returns a result for each */
  changeRows: (rows: object[]) => ReturnType<typeof changeInBatches>
  /** The paths of the scripts of a page that shows a secret. */
  scripts: string[]
}

/** What follows: a redirect to a path below the page with a notice of this name; the page with a notice; or another page. */
export type CollectionOutcome =
  | { done: string; at?: FormName; path?: string }
  | { notice: CollectionNotice }
  | { page: Page }

/** A form that a retry repeats, if it has a valid key. */
export function idempotentForm(form: URLSearchParams, request: unknown): IdempotentRequest | undefined {
  const key = form.get(FORM_KEY) ?? ''
  const text = JSON.stringify(request)
  return /^[\w-]{16,255}$/.test(key) ? { key: `${key} ${hash('sha256', text)}`, request: text } : undefined
}
