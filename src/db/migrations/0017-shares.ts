import type { Migration } from './migration.ts'

/** Read-only access to the statistics of a link, each with a token of its own. */
export const shares: Migration = {
  name: 'shares',
  async up(db) {
    await db.schema
      .createTable('shares')
      .addColumn('token_hash', 'text', (column) => column.primaryKey())
      .addColumn('link_id', 'bigint', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('csv', 'smallint', (column) => column.notNull())
      .addColumn('destination', 'smallint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('shares_link_id').on('shares').column('link_id').execute()
  },
}
