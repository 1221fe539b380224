import type { Migration } from './migration.ts'

/** Whose names wait for certificates, and whose were ordered: by registrable domain, and by client, without its address. */
export const certificateShares: Migration = {
  name: 'certificate-shares',
  onlyAdds: true,
  async up(db) {
    for (const table of ['issuances', 'acme_orders']) {
      await db.schema.alterTable(table).addColumn('registrable', 'text').execute()
      await db.schema.alterTable(table).addColumn('client', 'text').execute()
    }
  },
}
