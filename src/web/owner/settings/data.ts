import type { OwnedLink } from '../../../links/design.ts'
import type { WebhookDetails } from '../../../links/webhook.ts'
import type { CreatedShare, Shares } from '../../../shares/open.ts'

/** What the settings show besides the link. */
export interface SettingsData {
  /** Oldest first. */
  shares: CreatedShare['share'][]
  webhook: WebhookDetails | null
  /** False when the operator has turned webhooks off. */
  hasWebhooks: boolean
}

/** What the settings need of the rest of the program. */
export interface SettingsNeeds {
  shares: Shares
  hasWebhooks: boolean
}

export async function readSettings(
  { shares, hasWebhooks }: SettingsNeeds,
  { link, webhook }: OwnedLink,
): Promise<SettingsData> {
  return { shares: await shares.list(link.id), webhook, hasWebhooks }
}
