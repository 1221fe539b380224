import type { Migration } from './migration.ts'

/** Which orders were for names that DNS had proven to be somebody's. */
export const provenOrders: Migration = {
  name: 'proven-orders',
  onlyAdds: true,
  async up(db) {
    await db.schema
      .alterTable('acme_orders')
      .addColumn('proven', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
