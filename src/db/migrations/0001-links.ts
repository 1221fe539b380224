import type { Migration } from './migration.ts'

export const links: Migration = {
  name: 'links',
  async up(db, dialect) {
    await db.schema
      .createTable('codes')
      .addColumn('code_key', 'text', (column) => column.primaryKey())
      .execute()
    await dialect
      .addIdColumn(db.schema.createTable('links'), 'id')
      .addColumn('code_key', 'text', (column) => column.notNull().unique().references('codes.code_key'))
      .addColumn('code', 'text', (column) => column.notNull())
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('target', 'text')
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('title', 'text')
      .addColumn('campaign', 'text')
      .addColumn('utm', 'text', (column) => column.notNull())
      .addColumn('active', 'smallint', (column) => column.notNull())
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('replays')
      .addColumn('lookup', 'text', (column) => column.primaryKey())
      .addColumn('request_hash', 'text', (column) => column.notNull())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('replays_created_at').on('replays').column('created_at').execute()
  },
}
