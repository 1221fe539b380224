/** What a store has of collections. */
export interface CollectionsSummary {
  collections: number
  members: number
  looks: number
  shares: number
  /** Memberships of a collection that does not exist, or of a link that does not and was not deleted. */
  strayMembers: number
  /** Looks of a collection that does not exist. */
  strayLooks: number
  /** Shares of a collection that does not exist. */
  strayShares: number
  webhooks: number
  /** Events that were taken in for a webhook that does not exist. New ones may be: the sender deletes them. */
  strayEvents: number
}

const hasCollection = 'exists (select 1 from collections as c where c.id = collection_id)'
const hasWebhook = `exists (select 1 from collection_webhooks as w
  where w.collection_id = collection_outbox.collection_id)`
const knowsLink = `(exists (select 1 from links as l where l.id = link_id)
  or exists (select 1 from deletions as d where d.link_id = memberships.link_id))`

/** For both stores. The older versions of a rolling upgrade know no memberships, and leave those of a link that they delete. */
export const collectionsQuery = `select (select count(*) from collections) as "collections",
  (select count(*) from memberships) as "members", (select count(*) from looks) as "looks",
  (select count(*) from collection_shares) as "shares",
  (select count(*) from memberships where not ${hasCollection} or not ${knowsLink}) as "strayMembers",
  (select count(*) from looks where not ${hasCollection}) as "strayLooks",
  (select count(*) from collection_shares where not ${hasCollection}) as "strayShares",
  (select count(*) from collection_webhooks) as "webhooks",
  (select count(*) from collection_outbox where is_new = 0 and not ${hasWebhook}) as "strayEvents"`

/** The table that came last: where it is missing, an older version has written the store. */
export const NEWEST_TABLE = 'collection_webhooks'
