import type { Migration } from './migration.ts'

/** The hash of a link's password, which visits need: null for links without one. */
export const passwords: Migration = {
  name: 'passwords',
  async up(db) {
    await db.schema.alterTable('links').addColumn('password', 'text').execute()
  },
}
