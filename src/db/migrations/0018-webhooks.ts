import type { Migration } from './migration.ts'

/** Webhooks, and the events that are to be sent to them. */
export const webhooks: Migration = {
  name: 'webhooks',
  async up(db, dialect) {
    await db.schema
      .createTable('webhooks')
      .addColumn('link_id', 'bigint', (column) => column.primaryKey().references('links.id').onDelete('cascade'))
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('host', 'text', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull())
      .addColumn('secret', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('milestone', 'bigint')
      .addColumn('failures', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('failing_since', 'bigint')
      .addColumn('given_up_at', 'bigint')
      .addColumn('next_attempt_at', 'bigint')
      .addColumn('last_delivery_at', 'bigint')
      .addColumn('last_status', 'integer')
      .addColumn('last_error', 'text')
      .addColumn('dropped', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('next_check_at', 'bigint')
      .addColumn('check_failures', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('destination_failing_since', 'bigint')
      .execute()
    for (const column of ['next_attempt_at', 'next_check_at', 'updated_at', 'given_up_at'] as const) {
      await db.schema.createIndex(`webhooks_${column}`).on('webhooks').column(column).execute()
    }
    await dialect
      .addIdColumn(db.schema.createTable('outbox'), 'id')
      .addColumn('link_id', 'bigint', (column) => column.notNull().references('webhooks.link_id').onDelete('cascade'))
      .addColumn('event_id', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('outbox_link_id').on('outbox').columns(['link_id', 'id']).execute()
  },
}
