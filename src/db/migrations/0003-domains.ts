import type { Migration } from './migration.ts'

export const domains: Migration = {
  name: 'domains',
  async up(db) {
    await db.schema
      .createTable('domains')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('registrable', 'text', (column) => column.notNull())
      .addColumn('token_hash', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('status_since', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('checked_at', 'bigint')
      .addColumn('next_check_at', 'bigint', (column) => column.notNull())
      .addColumn('failures', 'integer', (column) => column.notNull())
      .addColumn('failing_since', 'bigint')
      .addColumn('fault_code', 'text')
      .addColumn('fault_detail', 'text')
      .execute()
    await db.schema.createIndex('domains_next_check_at').on('domains').column('next_check_at').execute()
    await db.schema.createIndex('domains_updated_at').on('domains').column('updated_at').execute()
    await db.schema.createIndex('domains_registrable').on('domains').column('registrable').execute()
  },
}
