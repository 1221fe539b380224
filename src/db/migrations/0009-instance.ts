import { randomUUID } from 'node:crypto'
import type { Migration } from './migration.ts'

/** The store's own name, by which the scans know it again, and every link that was ever deleted. */
export const instance: Migration = {
  name: 'instance',
  async up(db) {
    await db.schema
      .createTable('instance')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .execute()
    await db.insertInto('instance').values({ id: randomUUID() }).execute()
    await db.schema
      .createTable('deletions')
      .addColumn('link_id', 'bigint', (column) => column.primaryKey())
      .execute()
    await db
      .insertInto('deletions')
      .columns(['link_id'])
      .expression((from) => from.selectFrom('purges').select('link_id'))
      .execute()
  },
}
