import type { Compilable, Expression, Kysely, SelectQueryBuilder, Transaction } from '#kysely'
import type { Tables } from './schema.ts'

/**
 * What is possible on a full disk: what its operator does himself, takedowns of links (suspensions and deletions, which give room
 * back in the end), and pauses. Each leaves a part of the reserve to those before it: a stranger can have as many links to
 * pause as he likes. What the operator does and the suspensions of lists come, in PostgreSQL, before what other changes have locked.
 */
export type Urgency = 'operator' | 'suspension' | 'takedown' | 'pause'

/**
 * The open store. Its results survive power loss: `read`, `write` and `transaction` settle only when every change that they
 * made or saw is durable, also when they fail. Concurrent changes are committed in groups and share that wait; each is
 * atomic by itself. When a change cannot be made durable it rejects (see `isStoreUnavailable`), and may be there or not.
 */
export interface Database {
  /** For look-ups: never waits for a writer, and sees every transaction that has been answered. */
  read: Kysely<Tables>
  /** For look-ups that need no durability, such as a visit's: may see changes that are not durable yet. */
  prepareRead: PrepareRead
  /** For changes of one statement. */
  write: Kysely<Tables>
  /** For frequent changes of one statement. */
  prepareChange: PrepareChange
  /**
   * Runs `work` atomically. In SQLite it runs once, first come, first served; in PostgreSQL concurrently with
   * others, and again when it was rolled back because of another one.
   */
  transaction: <T>(work: (transaction: Transaction<Tables>) => Promise<T>) => Promise<T>
  /**
   * The same for what must be possible on a full disk, which may take from the reserve as much as its urgency allows. May run
   * `work` again, after a run that failed. In PostgreSQL, what comes before others' changes cancels those that it waits for, and
   * begins again for up to a minute.
   */
  urgent: <T>(urgency: Urgency, work: (transaction: Transaction<Tables>) => Promise<T>) => Promise<T>
  /** Waits until no other transaction on the store has this name locked, and locks it until the end of this one. */
  lock: (transaction: Transaction<Tables>, name: string) => Promise<void>
  /** For what is not to wait while a change of many rows goes on, which may take seconds in PostgreSQL. */
  unlocked: Locking
  /** For what changes no row, but must not go on without it. */
  kept: Locking
  /** For `createLeases`. */
  leases: LeaseStore
  /** The time in a statement, in milliseconds since 1970, by a clock that all processes on the store share. */
  time: () => Expression<number>
  /** Rejects while links cannot be read, and in PostgreSQL also while it would refuse a change. */
  check: () => Promise<void>
  /** For how many milliseconds after a fault the store counts as unavailable even though `check` succeeds. */
  doubtMs: number
  close(): Promise<void>
}

/**
 * Locks the rows of a query in a transaction until its end. In SQLite, where changes run one after the other, all are. `unlocked` limits
 * the query to those that no other transaction on the store has changed or locked; `kept` only keeps others from deleting the rows, or
 * hiding their keys: other changes go on meanwhile.
 */
export type Locking = <DB, From extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, From, Row>,
) => SelectQueryBuilder<DB, From, Row>

/** Who has which lease. Where a process is alone on its store, that is in its memory. */
export interface LeaseStore {
  /**
   * Takes a lease that is free or expired, or extends the holder's own, for `lengthMs`. Resolves to false while another
   * holder has it; rejects while the store refuses changes of this urgency, so that no work begins whose result it would not take.
   */
  take: (name: string, holder: string, lengthMs: number, urgency?: Urgency) => Promise<boolean>
  /** Whether a holder still has a lease; it keeps an expired one until another takes it. */
  holds: (transaction: Transaction<Tables>, name: string, holder: string) => Promise<boolean>
  /** Frees a lease; nothing happens when another holder has taken it over. */
  free: (name: string, holder: string) => Promise<void>
}

/**
 * Prepares a look-up of one row by its key, to be prepared once and reused. In SQLite the look-up is synchronous: it waits for no
 * change and no sync. In PostgreSQL it returns a promise.
 * @param build the query; all its parameters must be the key
 */
export type PrepareRead = <Values extends unknown[]>(
  build: (db: Kysely<Tables>, key: string) => Compilable,
) => Lookup<Values>

/** The values of a key's row in the order of the query's columns; undefined when there is none. */
export type Lookup<Values> = (key: string) => Values | undefined | Promise<Values | undefined>

/**
 * Prepares a change of one statement that returns no rows, to be prepared once and reused. In SQLite it runs
 * synchronously, unless it has to wait for the write lock.
 * @param build the statement with example values, in the order of the real ones
 */
export type PrepareChange = (build: (db: Kysely<Tables>) => Compilable) => Change

/** Resolves with the number of rows that were changed, when that is durable; rejects or throws when it cannot be made. */
export type Change = (values: readonly unknown[]) => Promise<number>

/** Runs statements: the open store, or a transaction of it. */
export type Executor = Kysely<Tables> | Transaction<Tables>
