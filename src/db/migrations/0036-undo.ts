import type { Migration } from './migration.ts'

/** When a link was deleted that can still be brought back, and when the operator gave out a new key of a link. */
export const undo: Migration = {
  name: 'undo',
  onlyAdds: true,
  async up(db) {
    await db.schema.alterTable('links').addColumn('deleted_at', 'bigint').execute()
    await db.schema.alterTable('links').addColumn('rekeyed_at', 'bigint').execute()
    await db.schema
      .createIndex('links_deleted_at')
      .on('links')
      .column('deleted_at')
      .where('deleted_at', 'is not', null)
      .execute()
  },
}
