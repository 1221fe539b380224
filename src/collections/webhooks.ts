import type { Transaction } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { WebhookDetails, WebhookDraft } from '../links/webhook.ts'

/** How often people have visited links, by their ids. */
export type HumansOf = ReadonlyMap<number, number>

/** The webhooks that owners have set for collections; only `webhooks/` knows how events are sent. */
export interface CollectionWebhooks {
  /** False when the operator has turned webhooks off. */
  enabled: boolean
  of: (collectionId: string) => Promise<WebhookDetails | null>
  /** Whether the webhook of a collection wants milestones, so that `watch` must know how often links were visited. */
  wantsMilestones: (db: Executor, collectionId: string) => Promise<boolean>
  /** How often people have visited these links until now. */
  humansOf: (linkIds: readonly number[]) => Promise<HumansOf>
  /** Has links that were added watched for what the webhook wants, in the transaction that adds them. */
  watch: (transaction: Transaction<Tables>, collectionId: string, humans: HumansOf) => Promise<void>
  /**
   * The links that are not watched yet for what a webhook wants that is to be saved.
   * @param prepared those that `prepare` was called for
   */
  unprepared: (
    db: Executor,
    collectionId: string,
    draft: WebhookDraft,
    prepared: ReadonlySet<number>,
  ) => Promise<number[]>
  /** Has some links watched for a webhook that is saved afterwards; nobody is told of them before. */
  prepare: (
    transaction: Transaction<Tables>,
    collectionId: string,
    draft: WebhookDraft,
    humans: HumansOf,
  ) => Promise<void>
  /**
   * Saves or removes the webhook of a collection whose links are prepared, in a transaction that keeps others from adding
   * links to it. Its details have the secret only when that is new.
   */
  save: (
    transaction: Transaction<Tables>,
    collectionId: string,
    draft: WebhookDraft | null,
  ) => Promise<WebhookDetails | null>
  /** The links that are still watched for what the webhook wants no longer. */
  idle: (db: Executor, collectionId: string) => Promise<number[]>
  /** Has some links watched no longer for what the webhook does not want. */
  endIdle: (transaction: Transaction<Tables>, collectionId: string, linkIds: number[]) => Promise<void>
  /** Deletes the webhook, and what waits for it, in the transaction that ends the collection. */
  delete: (transaction: Transaction<Tables>, collectionId: string) => Promise<void>
}
