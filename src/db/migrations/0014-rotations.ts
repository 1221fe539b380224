import type { Migration } from './migration.ts'

/** A token that is to replace the link's own, and when it was issued. */
export const rotations: Migration = {
  name: 'rotations',
  async up(db) {
    await db.schema.alterTable('links').addColumn('next_token_hash', 'text').execute()
    await db.schema.alterTable('links').addColumn('rotated_at', 'bigint').execute()
    await db.schema
      .createIndex('links_next_token_hash')
      .unique()
      .on('links')
      .column('next_token_hash')
      .where('next_token_hash', 'is not', null)
      .execute()
  },
}
