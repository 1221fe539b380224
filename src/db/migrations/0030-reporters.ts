import type { Migration } from './migration.ts'

/** From how many networks a link was reported: digests that fit many networks each, with a salt of the day. */
export const reporters: Migration = {
  name: 'reporters',
  onlyAdds: true,
  async up(db) {
    await db.schema
      .createTable('reporters')
      .addColumn('link_id', 'bigint', (column) => column.notNull().references('links.id').onDelete('cascade'))
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('network', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('reporters_key', ['link_id', 'day', 'network'])
      .execute()
    // Those of a day are deleted together.
    await db.schema.createIndex('reporters_day').on('reporters').column('day').execute()
    await db.schema
      .createTable('reporter_salts')
      .addColumn('day', 'text', (column) => column.primaryKey())
      .addColumn('salt', 'text', (column) => column.notNull())
      .execute()
  },
}
