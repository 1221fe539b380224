import type { Migration } from './migration.ts'

/** The events of each network are counted every few seconds, without reading them. */
export const outboxNetworks: Migration = {
  name: 'outbox-networks',
  onlyAdds: true,
  async up(db) {
    await db.schema.createIndex('outbox_network').on('outbox').column('network').execute()
  },
}
