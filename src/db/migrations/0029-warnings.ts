import type { Migration } from './migration.ts'

/** What visitors of a link are warned of, and what its owner is told of reports. */
export const warnings: Migration = {
  name: 'warnings',
  onlyAdds: true,
  async up(db) {
    for (const column of ['warned_at', 'reported_at'])
      await db.schema.alterTable('links').addColumn(column, 'bigint').execute()
    for (const column of ['warned_reason', 'reported_reason'])
      await db.schema.alterTable('links').addColumn(column, 'text').execute()
    await db.schema.alterTable('links').addColumn('reported_networks', 'integer').execute()
  },
}
