import type { CreateTableBuilder, Transaction } from '#kysely'
import type { Tables } from '../schema.ts'

/** The operations that differ between databases. */
export interface MigrationDialect {
  /** Whether several processes, perhaps of two releases, use the database. */
  isShared: boolean
  /** Adds a primary key that counts up and never reuses a number. */
  addIdColumn<T extends string, C extends string>(
    table: CreateTableBuilder<T, C>,
    column: string,
  ): CreateTableBuilder<T, C>
  /** Makes the database reject every update and deletion of a row of this table. */
  makeAppendOnly(transaction: Transaction<Tables>, table: string): Promise<void>
  /** Drops the reference of `links` to `codes`, and the counter of its IDs, which each creation would write. */
  freeLinks(transaction: Transaction<Tables>): Promise<void>
  /**
   * Makes the database refuse, as a conflict, a link whose code the deletion of another link took while the insertion
   * waited for it; a code that was issued again like that belongs to the newer link.
   */
  refuseRetiredCodes(transaction: Transaction<Tables>): Promise<void>
  /** Blocks every other process that migrates until the transaction ends. */
  lock(transaction: Transaction<Tables>): Promise<void>
}

/** One step of the schema. Its number is its place in the list of `migrate.ts`. */
export interface Migration {
  name: string
  /**
   * Whether a program that does not know the step works on the database as before, and leaves what it has added valid: new
   * tables, and columns that may be absent. Steps after 0022 say so.
   */
  onlyAdds?: boolean
  up(db: Transaction<Tables>, dialect: MigrationDialect): Promise<void>
}
