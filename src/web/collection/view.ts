import type { CreationGate } from '../../keys/open.ts'
import type { ListedMember } from '../../collections/listing.ts'
import type { Overview } from '../../collections/overview.ts'
import type { ListParameters } from '../../collections/list-query.ts'
import type { Problem } from '../../http/problem.ts'
import type { WebhookDetails } from '../../links/webhook.ts'
import type { Language } from '../../texts/language.ts'
import type { CollectionShare } from '../../shares/of-collections.ts'
import type { Values } from '../form.ts'
import type { LoadedStatistics } from '../statistics/view.ts'

/** The parts of the page that have a form: the ids of their elements. */
export type FormName = 'links' | 'create' | 'join' | 'looks' | 'shares' | 'webhook' | 'settings'

/** What became of a form. */
export interface CollectionNotice {
  text: string
  /** The part in which it is shown; without one, at the top. */
  at?: FormName
  problem?: Problem
  /** The links that were not changed, and why. */
  left?: { code: string; why: string }[]
  /** The codes of links that were deleted, and can be brought back. */
  deleted?: string[]
  /** What was typed into the form of that part. */
  values?: Values
}

/** The data of the page of a collection. */
export interface CollectionView {
  token: string
  overview: Overview
  /** What the list shows, as the address says. */
  asked: ListParameters
  links: ListedMember[]
  /** The cursor of the next page, if there is one. */
  next: string | null
  statistics: LoadedStatistics
  /** Whether the cities in its statistics come from DB-IP, whose licence requires a link. */
  credit: boolean
  /** Oldest first. */
  shares: CollectionShare[]
  /** The names of its looks. */
  looks: string[]
  webhook: WebhookDetails | null
  /** False when the operator has turned webhooks off. */
  hasWebhooks: boolean
  /** Of the short links. */
  origin: string
  language: Language
  creation: CreationGate['mode']
  /** Whether it was just created. */
  isCreated: boolean
  /** What `FormIdempotency` needs in each form. */
  formKey: string
  /** The paths of its scripts. */
  scripts: string[]
}

export function pathOf({ token }: Pick<CollectionView, 'token'>): string {
  return `/c/${token}`
}
