import type { Migration } from './migration.ts'

/** Keys with which links are created where `CREATE` is `token`. */
export const creationKeys: Migration = {
  name: 'creation-keys',
  async up(db) {
    await db.schema
      .createTable('creation_keys')
      .addColumn('key_hash', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull().unique())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('used_on', 'text')
      .execute()
  },
}
