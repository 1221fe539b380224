import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './schema.ts'

/** The open store. */
export interface Database {
  /** For look-ups: never waits for a writer, and sees every transaction that has been answered. */
  read: Kysely<Tables>
  /** For changes; a change that was awaited survives power loss. */
  write: Kysely<Tables>
  close(): Promise<void>
}

/** What a statement can be run on: the open store, or a transaction of it. */
export type Executor = Kysely<Tables> | Transaction<Tables>
