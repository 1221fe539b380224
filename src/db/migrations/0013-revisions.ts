import type { Migration } from './migration.ts'

/** The history of links. A creation writes nothing here, and a change one row. */
export const revisions: Migration = {
  name: 'revisions',
  async up(db) {
    await db.schema
      .createTable('revisions')
      .addColumn('link_id', 'bigint', (column) => column.notNull())
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('replaced', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('revisions_primary', ['link_id', 'revision'])
      .execute()
  },
}
