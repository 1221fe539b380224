import type { Migration } from './migration.ts'

/** All processes on a store digest their lists with one salt, and ask one another for a sweep of all links. */
export const sharedLists: Migration = {
  name: 'shared-lists',
  async up(db) {
    await db.schema
      .createTable('salts')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('salt', 'text', (column) => column.notNull())
      .execute()
    await db.schema
      .alterTable('sweeps')
      .addColumn('requests', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
