import type { Migration } from './migration.ts'

/** Operators list the newest links first, and those of a time. */
export const linksByTime: Migration = {
  name: 'links-by-time',
  onlyAdds: true,
  async up(db) {
    await db.schema.createIndex('links_created_at').on('links').columns(['created_at', 'id']).execute()
  },
}
