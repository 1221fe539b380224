import type { Compilable, Kysely, Transaction } from '#kysely'
import type { Tables } from './schema.ts'

/**
 * The open store. What it answers survives power loss: `read`, `write` and `transaction` settle only when every change that
 * they made or saw is durable, also when they fail. Changes of the same moment are committed together and share that wait;
 * each is whole or not at all by itself. When a change cannot be made durable it rejects (see `isStoreUnavailable`), and
 * may have been kept or not.
 */
export interface Database {
  /** For look-ups: never waits for the work of a writer, and sees every transaction that has been answered. */
  read: Kysely<Tables>
  /** For look-ups that promise nothing, such as a visit: may see changes that are not durable yet. */
  readAtOnce: ReadAtOnce
  /** For changes of one statement. */
  write: Kysely<Tables>
  /** For changes of one statement that are made often. */
  prepareChange: PrepareChange
  /** Runs `work` whole or not at all; who asked first goes first. */
  transaction: <T>(work: (transaction: Transaction<Tables>) => Promise<T>) => Promise<T>
  close(): Promise<void>
}

/**
 * Prepares a look-up of one row by its key, to be made once and kept. Where the store is embedded the look-up is answered,
 * or throws, at once: it waits for no change and no sync. Elsewhere it answers a promise.
 * @param build the query; all its parameters must be the key
 */
export type ReadAtOnce = <Values extends unknown[]>(
  build: (db: Kysely<Tables>, key: string) => Compilable,
) => LookUp<Values>

/** The values of a key's row in the order of the query's columns; undefined when there is none. */
export type LookUp<Values> = (key: string) => Values | undefined | Promise<Values | undefined>

/**
 * Prepares a change of one statement that answers no rows, to be made once and kept. Where the store is embedded it is made
 * before the call returns, unless others have come first.
 * @param build the statement, with any values, of which there are as many as there will be, in the same order
 */
export type PrepareChange = (build: (db: Kysely<Tables>) => Compilable) => Change

/** Resolves with the number of rows that were changed, when that is durable; rejects or throws when it cannot be made. */
export type Change = (values: readonly unknown[]) => Promise<number>

/** What a statement can be run on: the open store, or a transaction of it. */
export type Executor = Kysely<Tables> | Transaction<Tables>
