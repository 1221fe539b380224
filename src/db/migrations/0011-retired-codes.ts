import type { Migration } from './migration.ts'

/**
 * A creation writes its link and nothing else: `codes` keeps the codes of deleted links only, and few rows are in the index
 * of removals (docs/adr/0031).
 */
export const retiredCodes: Migration = {
  name: 'retired-codes',
  async up(db, dialect) {
    await dialect.freeLinks(db)
    await db
      .deleteFrom('codes')
      .where('code_key', 'in', (of) => of.selectFrom('links').select('code_key'))
      .execute()
    await db.schema.dropIndex('links_removed_at').ifExists().execute()
    await db.schema
      .createIndex('links_removed_at')
      .on('links')
      .column('removed_at')
      .where('removed_at', 'is not', null)
      .execute()
  },
}
