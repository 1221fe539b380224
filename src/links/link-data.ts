import type { Transaction } from '#kysely'
import type { Tables } from '../db/schema.ts'

/** The tables with data of links, but for those that record deletions. */
export const linkTables = [
  'designs',
  'collection_outbox',
  'memberships',
  'reports',
  'reporters',
  'revisions',
  'shares',
  'outbox',
  'webhooks',
] as const

/** Deletes what these tables hold of a link, in the transaction that deletes it. */
export async function deleteLinkData(transaction: Transaction<Tables>, linkId: number): Promise<void> {
  for (const table of linkTables) await transaction.deleteFrom(table).where('link_id', '=', linkId).execute()
}
