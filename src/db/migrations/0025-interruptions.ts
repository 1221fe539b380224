import type { Migration } from './migration.ts'

/** An authority that fails is no fault of the name. */
export const interruptions: Migration = {
  name: 'interruptions',
  onlyAdds: true,
  async up(db) {
    await db.schema
      .alterTable('issuances')
      .addColumn('interruptions', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
