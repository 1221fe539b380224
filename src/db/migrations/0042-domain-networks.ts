import type { Migration } from './migration.ts'

/** From which networks names were registered, without their addresses: how many of a network do not lead here is counted. */
export const domainNetworks: Migration = {
  name: 'domain-networks',
  onlyAdds: true,
  async up(db) {
    await db.schema.alterTable('domains').addColumn('client', 'text').execute()
    const index = db.schema.createIndex('domains_client').on('domains').columns(['client', 'status'])
    await index.where('client', 'is not', null).execute()
  },
}
