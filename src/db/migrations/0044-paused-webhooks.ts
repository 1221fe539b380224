import type { Migration } from './migration.ts'

/** What the webhook of a deleted link waited for when it was deleted. */
export const pausedWebhooks: Migration = {
  name: 'paused-webhooks',
  onlyAdds: true,
  async up(db) {
    for (const column of ['paused_attempt_at', 'paused_check_at'])
      await db.schema.alterTable('webhooks').addColumn(column, 'bigint').execute()
  },
}
