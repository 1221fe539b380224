import type { Transaction } from '#kysely'
import type { Tables } from '../schema.ts'
import type { Migration, MigrationDialect } from './migration.ts'

export const certificates: Migration = {
  name: 'certificates',
  async up(db, dialect) {
    await db.schema
      .createTable('certificates')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('chain', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('not_before', 'bigint', (column) => column.notNull())
      .addColumn('not_after', 'bigint', (column) => column.notNull())
      .addColumn('renew_at', 'bigint', (column) => column.notNull())
      .addColumn('ask_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('issuances')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('held_until', 'bigint', (column) => column.notNull())
      .addColumn('failures', 'integer', (column) => column.notNull())
      .addColumn('retry_at', 'bigint', (column) => column.notNull())
      .addColumn('fault', 'text')
      .execute()
    await createAcmeTables(db, dialect)
    await db.schema
      .createTable('ticket_keys')
      .addColumn('period', 'bigint', (column) => column.primaryKey())
      .addColumn('key', 'text', (column) => column.notNull())
      .execute()
  },
}

async function createAcmeTables(db: Transaction<Tables>, dialect: MigrationDialect): Promise<void> {
  await dialect
    .addIdColumn(db.schema.createTable('acme_orders'), 'id')
    .addColumn('placed_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('acme_orders_placed_at').on('acme_orders').column('placed_at').execute()
  await db.schema
    .createTable('acme_accounts')
    .addColumn('directory', 'text', (column) => column.primaryKey())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('address', 'text')
    .execute()
  await db.schema
    .createTable('acme_challenges')
    .addColumn('token', 'text', (column) => column.primaryKey())
    .addColumn('answer', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
}
