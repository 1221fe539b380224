import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './schema.ts'

/**
 * The open store. What it answers survives power loss: `read`, `write` and `transaction` settle only when every change that
 * they made or saw is durable, also when they fail. Changes that wait at the same time share what that costs. When a
 * change cannot be made durable it rejects (see `isStoreUnavailable`), and may have been kept or not.
 */
export interface Database {
  /** For look-ups: never waits for the work of a writer, and sees every transaction that has been answered. */
  read: Kysely<Tables>
  /** For look-ups that promise nothing, such as a visit: waits for nothing, and may see changes that are not durable yet. */
  readAtOnce: Kysely<Tables>
  /** For changes of one statement. */
  write: Kysely<Tables>
  /** Runs `work` whole or not at all; who asked first goes first. */
  transaction: <T>(work: (transaction: Transaction<Tables>) => Promise<T>) => Promise<T>
  close(): Promise<void>
}

/** What a statement can be run on: the open store, or a transaction of it. */
export type Executor = Kysely<Tables> | Transaction<Tables>
