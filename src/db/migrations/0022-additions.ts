import type { Migration } from './migration.ts'

/** Which steps only add, so that a program that does not know them works on the database as before. */
export const additions: Migration = {
  name: 'additions',
  async up(db) {
    await db.schema
      .alterTable('migrations')
      .addColumn('only_adds', 'smallint', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
