import type { Migration } from './migration.ts'

/** Reports of which operator and owner are still to be told, because a change of the link was under way when the last of them came. */
export const untoldReports: Migration = {
  name: 'untold-reports',
  onlyAdds: true,
  async up(db) {
    await db.schema.alterTable('reports').addColumn('untold_at', 'bigint').execute()
    const index = db.schema.createIndex('reports_untold_at').on('reports').column('untold_at')
    await index.where('untold_at', 'is not', null).execute()
  },
}
