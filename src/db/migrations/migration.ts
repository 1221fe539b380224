import type { CreateTableBuilder, Transaction } from '#kysely'
import type { Tables } from '../schema.ts'

/** What differs between the databases while tables are made. */
export interface MigrationDialect {
  /** Adds a primary key that counts up and never gives a number again. */
  addIdColumn<T extends string, C extends string>(
    table: CreateTableBuilder<T, C>,
    column: string,
  ): CreateTableBuilder<T, C>
  /** Makes the database itself refuse every change and deletion of a row of that table. */
  makeAppendOnly(transaction: Transaction<Tables>, table: string): Promise<void>
  /** Takes from `links` the reference to `codes`, and a counter of its ids that each creation would write. */
  freeLinks(transaction: Transaction<Tables>): Promise<void>
  /** Makes every other process that migrates wait until the transaction ends. */
  lock(transaction: Transaction<Tables>): Promise<void>
}

/** One step of the schema. Its number is its place in the list of `migrate.ts`. */
export interface Migration {
  name: string
  up(db: Transaction<Tables>, dialect: MigrationDialect): Promise<void>
}
