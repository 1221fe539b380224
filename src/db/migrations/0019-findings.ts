import type { Migration } from './migration.ts'

/** What the last check of a domain found, as JSON. */
export const findings: Migration = {
  name: 'findings',
  async up(db) {
    await db.schema.alterTable('domains').addColumn('fault_findings', 'text').execute()
  },
}
