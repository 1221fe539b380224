import type { Migration } from './migration.ts'

/** A table of its own: a design may hold a logo, which no visit should have to read. */
export const designs: Migration = {
  name: 'designs',
  async up(db) {
    await db.schema
      .createTable('designs')
      .addColumn('link_id', 'bigint', (column) => column.primaryKey().references('links.id').onDelete('cascade'))
      .addColumn('design', 'text', (column) => column.notNull())
      .execute()
  },
}
