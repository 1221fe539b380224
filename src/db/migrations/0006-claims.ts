import type { Migration } from './migration.ts'

export const claims: Migration = {
  name: 'claims',
  async up(db) {
    await db.schema.alterTable('domains').addColumn('claimed_at', 'bigint').execute()
    await db.schema
      .createTable('domain_claims')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('proof', 'text', (column) => column.notNull())
      .addColumn('token_hash', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('domain_claims_key', ['name', 'proof'])
      .execute()
    await db.schema
      .createTable('refused_domains')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('domain_claims_created_at').on('domain_claims').column('created_at').execute()
  },
}
