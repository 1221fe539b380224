import type { Migration } from './migration.ts'

/** Leases become a table of their own: other work than issuing certificates needs one owner, too. */
export const leases: Migration = {
  name: 'leases',
  async up(db) {
    await db.schema
      .createTable('leases')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.alterTable('issuances').dropColumn('holder').execute()
    await db.schema.alterTable('issuances').dropColumn('held_until').execute()
  },
}
