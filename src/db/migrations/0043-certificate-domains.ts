import type { Migration } from './migration.ts'

/** The registrable domain of each certificate that is issued from then on. */
export const certificateDomains: Migration = {
  name: 'certificate-domains',
  onlyAdds: true,
  async up(db) {
    await db.schema.alterTable('certificates').addColumn('registrable', 'text').execute()
    const index = db.schema.createIndex('certificates_registrable').on('certificates')
    await index.columns(['registrable', 'not_before', 'name']).where('registrable', 'is not', null).execute()
  },
}
