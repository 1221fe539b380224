import type { Migration } from './migration.ts'

/** The named designs of collections. */
export const looks: Migration = {
  name: 'looks',
  onlyAdds: true,
  async up(db) {
    await db.schema
      .createTable('looks')
      .addColumn('collection_id', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('design', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('looks_key', ['collection_id', 'name'])
      .execute()
  },
}
