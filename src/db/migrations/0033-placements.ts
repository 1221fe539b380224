import type { Migration } from './migration.ts'

/** Null without placements, so that a visit of most links reads nothing more. */
export const placements: Migration = {
  name: 'placements',
  onlyAdds: true,
  async up(db) {
    await db.schema.alterTable('links').addColumn('placements', 'text').execute()
  },
}
