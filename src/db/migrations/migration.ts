import type { CreateTableBuilder, Transaction } from '#kysely'
import type { Tables } from '../schema.ts'

/** The operations that differ between databases. */
export interface MigrationDialect {
  /** Adds a primary key that counts up and never reuses a number. */
  addIdColumn<T extends string, C extends string>(
    table: CreateTableBuilder<T, C>,
    column: string,
  ): CreateTableBuilder<T, C>
  /** Makes the database reject every update and deletion of a row of this table. */
  makeAppendOnly(transaction: Transaction<Tables>, table: string): Promise<void>
  /** Drops the reference of `links` to `codes`, and the counter of its IDs, which each creation would write. */
  freeLinks(transaction: Transaction<Tables>): Promise<void>
  /** Blocks every other process that migrates until the transaction ends. */
  lock(transaction: Transaction<Tables>): Promise<void>
}

/** One step of the schema. Its number is its place in the list of `migrate.ts`. */
export interface Migration {
  name: string
  up(db: Transaction<Tables>, dialect: MigrationDialect): Promise<void>
}
