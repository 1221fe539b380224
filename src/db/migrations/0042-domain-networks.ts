import type { Migration } from './migration.ts'

/**
 * From where names were registered, as digests that lead to no address: how many of a network do not lead here is counted, and whose
 * give way.
 */
export const domainNetworks: Migration = {
  name: 'domain-networks',
  onlyAdds: true,
  async up(db) {
    for (const column of ['allocation', 'network', 'client'])
      await db.schema.alterTable('domains').addColumn(column, 'text').execute()
    const index = db.schema.createIndex('domains_allocation').on('domains').columns(['allocation', 'status'])
    await index.where('allocation', 'is not', null).execute()
  },
}
