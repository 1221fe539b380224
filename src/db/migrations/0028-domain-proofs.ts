import type { Migration } from './migration.ts'

/** A name that led here before it was registered serves pages until its owner proves the registration. */
export const domainProofs: Migration = {
  name: 'domain-proofs',
  onlyAdds: true,
  async up(db) {
    await db.schema
      .alterTable('domains')
      .addColumn('proof_wanted', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema
      .createTable('page_names')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('served_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}
