import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './schema.ts'

/** The open store. */
export interface Database {
  /** For look-ups: never waits for a writer, and sees every transaction that has been answered. */
  read: Kysely<Tables>
  /** For changes; a change that was awaited survives power loss. */
  write: Kysely<Tables>
  /** Runs `work` whole or not at all; who asked first goes first. */
  transaction: <T>(work: (transaction: Transaction<Tables>) => Promise<T>) => Promise<T>
  close(): Promise<void>
}

/** What a statement can be run on: the open store, or a transaction of it. */
export type Executor = Kysely<Tables> | Transaction<Tables>
