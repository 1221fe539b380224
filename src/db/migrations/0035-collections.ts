import type { Migration } from './migration.ts'

/** Sets of links, each with a token of its own, and the links that are in them. */
export const collections: Migration = {
  name: 'collections',
  onlyAdds: true,
  async up(db) {
    await db.schema
      .createTable('collections')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('name', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('memberships')
      .addColumn('collection_id', 'text', (column) => column.notNull())
      .addColumn('link_id', 'bigint', (column) => column.notNull())
      .addColumn('joined_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('memberships_key', ['collection_id', 'link_id'])
      .execute()
    // Of a link whose token is to be replaced: the collection through which its owner asked for that, if it was one.
    await db.schema.alterTable('links').addColumn('rotated_through', 'text').execute()
    await db.schema.createIndex('memberships_link_id').on('memberships').column('link_id').execute()
  },
}
