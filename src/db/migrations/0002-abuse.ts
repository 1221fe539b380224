import type { Migration } from './migration.ts'

export const abuse: Migration = {
  name: 'abuse',
  async up(db, dialect) {
    await db.schema.alterTable('links').addColumn('removed_at', 'bigint').execute()
    for (const column of ['removed_reason', 'removed_source', 'removed_entry']) {
      await db.schema.alterTable('links').addColumn(column, 'text').execute()
    }
    // Few links are removed, and an operator's word may concern all of them.
    await db.schema.createIndex('links_removed_at').on('links').column('removed_at').execute()
    await db.schema
      .createTable('entries')
      .addColumn('entry', 'text', (column) => column.primaryKey())
      .addColumn('verdict', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('legal', 'smallint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('reports')
      .addColumn('link_id', 'bigint', (column) => column.primaryKey().references('links.id').onDelete('cascade'))
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('reasons', 'text', (column) => column.notNull())
      .addColumn('notes', 'text', (column) => column.notNull())
      .addColumn('first_at', 'bigint', (column) => column.notNull())
      .addColumn('last_at', 'bigint', (column) => column.notNull())
      .execute()
    await dialect
      .addIdColumn(db.schema.createTable('audit'), 'id')
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .execute()
    await dialect.makeAppendOnly(db, 'audit')
    await db.schema
      .createTable('sweeps')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('lists', 'text', (column) => column.notNull())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('finished', 'smallint', (column) => column.notNull())
      .execute()
  },
}
