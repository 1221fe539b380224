/** Whose events a webhook gets: those of a link, or those of each link of a collection. */
export type WebhookOwner = { kind: 'link'; id: number } | { kind: 'collection'; id: string }

/** The tables of both kinds of webhooks, which have the same columns but for those that name the owner. */
const tables = {
  link: {
    webhooks: 'webhooks',
    outbox: 'outbox',
    key: 'link_id',
    webhooksKey: 'webhooks.link_id',
    outboxKey: 'outbox.link_id',
    outboxId: 'outbox.id',
  },
  collection: {
    webhooks: 'collection_webhooks',
    outbox: 'collection_outbox',
    key: 'collection_id',
    webhooksKey: 'collection_webhooks.collection_id',
    outboxKey: 'collection_outbox.collection_id',
    outboxId: 'collection_outbox.id',
  },
} as const

/** Where the webhooks of an owner's kind are stored, and what is to be sent to them. */
export function tablesOf({ kind }: Pick<WebhookOwner, 'kind'>) {
  return tables[kind]
}

export const ownerKinds = ['link', 'collection'] as const
