import type { Migration } from './migration.ts'

/** Tables and columns get the names of what they hold. SQLite and PostgreSQL rename them without a copy. */
export const names: Migration = {
  name: 'names',
  async up(db) {
    await db.schema.alterTable('replays').renameTo('idempotency_keys').execute()
    await db.schema.alterTable('idempotency_keys').renameColumn('sealed', 'response').execute()
    await db.schema.dropIndex('replays_created_at').execute()
    await db.schema.createIndex('idempotency_keys_created_at').on('idempotency_keys').column('created_at').execute()
    await db.schema.alterTable('entries').renameTo('rules').execute()
    await db.schema.alterTable('rules').renameColumn('entry', 'expression').execute()
    await db.schema.alterTable('links').renameColumn('removed_entry', 'removed_expression').execute()
  },
}
