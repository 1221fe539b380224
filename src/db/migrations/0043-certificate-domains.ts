import type { Migration } from './migration.ts'

/** The registrable domain of each certificate that is issued from then on, and since when its name has had one. */
export const certificateDomains: Migration = {
  name: 'certificate-domains',
  onlyAdds: true,
  async up(db) {
    await db.schema.alterTable('certificates').addColumn('registrable', 'text').execute()
    await db.schema.alterTable('certificates').addColumn('first_at', 'bigint').execute()
    const index = db.schema.createIndex('certificates_registrable').on('certificates')
    await index.columns(['registrable', 'first_at', 'name']).where('registrable', 'is not', null).execute()
  },
}
