import type { Migration } from './migration.ts'

/** Until when the clock is known to be right: what is old by it alone is not removed for good. */
export const clock: Migration = {
  name: 'clock',
  onlyAdds: true,
  async up(db) {
    await db.schema
      .createTable('clock')
      .addColumn('one', 'integer', (column) => column.primaryKey())
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .addColumn('checked_at', 'bigint', (column) => column.notNull())
      .addColumn('doubted_ms', 'bigint', (column) => column.notNull())
      .execute()
  },
}
