import type { Migration } from './migration.ts'

/** Names wait for their first certificate in the order in which they came; and what the authority fails is no fault of a name. */
export const certificateQueue: Migration = {
  name: 'certificate-queue',
  onlyAdds: true,
  async up(db) {
    await db.schema.alterTable('issuances').addColumn('queued_at', 'bigint').execute()
    await db.schema
      .alterTable('issuances')
      .addColumn('interruptions', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema.createIndex('issuances_queued_at').on('issuances').column('queued_at').execute()
  },
}
