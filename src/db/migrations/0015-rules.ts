import type { Migration } from './migration.ts'

/** Null without rules, so that a visit of most links reads nothing more. */
export const rules: Migration = {
  name: 'rules',
  async up(db) {
    await db.schema.alterTable('links').addColumn('rules', 'text').execute()
  },
}
