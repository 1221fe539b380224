import type { Migration } from './migration.ts'

/** The token that is to replace that of a collection, and when it was issued. */
export const collectionTokens: Migration = {
  name: 'tokens that replace those of collections',
  onlyAdds: true,
  async up(db) {
    await db.schema.alterTable('collections').addColumn('next_token_hash', 'text').execute()
    await db.schema.alterTable('collections').addColumn('rotated_at', 'bigint').execute()
    await db.schema
      .createIndex('collections_next_token_hash')
      .unique()
      .on('collections')
      .column('next_token_hash')
      .where('next_token_hash', 'is not', null)
      .execute()
  },
}
