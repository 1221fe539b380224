import type { Migration } from './migration.ts'

/** Deleted links whose scans are still to be removed. They have no row in `links` any more. */
export const purges: Migration = {
  name: 'purges',
  async up(db) {
    await db.schema
      .createTable('purges')
      .addColumn('link_id', 'bigint', (column) => column.primaryKey())
      .execute()
  },
}
