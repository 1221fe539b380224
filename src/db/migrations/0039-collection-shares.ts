import type { Migration } from './migration.ts'

/** Read-only access to the statistics of the links of a collection, or of a campaign in it. */
export const collectionShares: Migration = {
  name: 'collection-shares',
  onlyAdds: true,
  async up(db) {
    await db.schema
      .createTable('collection_shares')
      .addColumn('token_hash', 'text', (column) => column.primaryKey())
      .addColumn('collection_id', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('name', 'text')
      .addColumn('campaign', 'text')
      .addColumn('csv', 'smallint', (column) => column.notNull())
      .addColumn('destination', 'smallint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('collection_shares_of').on('collection_shares').column('collection_id').execute()
  },
}
