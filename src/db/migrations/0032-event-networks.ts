import type { Migration } from './migration.ts'

/** From which network the changes come whose events wait, without its address. */
export const eventNetworks: Migration = {
  name: 'event-networks',
  onlyAdds: true,
  async up(db) {
    await db.schema.alterTable('outbox').addColumn('network', 'text').execute()
  },
}
