import type { Migration } from './migration.ts'

/** What each order of a certificate was for. */
export const orderPurposes: Migration = {
  name: 'order-purposes',
  onlyAdds: true,
  async up(db) {
    await db.schema.alterTable('acme_orders').addColumn('purpose', 'text').execute()
  },
}
