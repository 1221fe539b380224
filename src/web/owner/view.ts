import type { OwnerAccess } from './access.ts'
import type { Problem } from '../../http/problem.ts'
import type { OwnedLink } from '../../links/design.ts'
import type { Revision } from '../../links/history/history.ts'
import type { Link, Totals } from '../../links/link.ts'
import type { WebhookDetails } from '../../links/webhook.ts'
import type { Design } from '../../qr/design/schema.ts'
import type { CreatedShare } from '../../shares/open.ts'
import type { Language } from '../../texts/language.ts'
import type { Preview, RefusedDesign } from '../designer/form.ts'
import type { DesignerPictures } from '../designer/pictures.ts'
import type { Values } from '../form.ts'
import type { RefusedRule } from './rules/refused-rule.ts'
import type { LoadedStatistics } from '../statistics/view.ts'

/** The data of the owner's page. */
export interface OwnerView {
  link: Link
  access: OwnerAccess
  /** What `FormIdempotency` needs in each form. */
  formKey: string
  origin: string
  language: Language
  /** Undefined while they cannot be read. */
  totals: Totals | undefined
  statistics: LoadedStatistics
  /** Whether the cities in its statistics come from DB-IP, whose licence requires a link. */
  credit: boolean
  design: Design | undefined
  /** Undefined where the live preview was not built. */
  preview: Preview | undefined
  pictures: DesignerPictures
  /** Its revisions, newest first. */
  history: Revision[]
  /** The number of the rule that is being edited, or `new`, as the address has it. */
  editing: string | undefined
  /** Whether the link was just created. */
  isCreated: boolean
  /** A text without what cannot be printed. */
  printable: (text: string) => string
  /** The paths of the scripts of its sections. */
  scripts: string[]
  settings: SettingsData
}

/** What the settings show besides the link. */
export interface SettingsData {
  /** Oldest first. */
  shares: CreatedShare['share'][]
  webhook: WebhookDetails | null
  /** False when the operator has turned webhooks off. */
  hasWebhooks: boolean
}

/** A message of the owner's page. */
export interface Notice {
  text: string
  /** The id of the element in which it is shown: by default at the top. */
  at?: string
  /** Whether what was done needs care. */
  isWarning?: boolean
  /** Whether a field says what is wrong. */
  isMarked?: boolean
  problem?: Problem
  /** When the problem is one of the design form: what that form shows. */
  design?: RefusedDesign
  /** The typed values, when they could not be saved. */
  values?: Values
  /** The boxes that were ticked, of those that belong together. */
  chosen?: string[]
  /** The rule that could not be saved. */
  rule?: RefusedRule
  utm?: Record<string, string>
}

/** A change that was refused, with the link as it is. */
export type Refused = Notice & { owned: OwnedLink; problem: Problem }
