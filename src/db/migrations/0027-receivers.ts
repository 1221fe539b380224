import type { Migration } from './migration.ts'

/** Who is behind the hosts of webhooks, and the lane in which they are sent to: what is due is found by both. */
export const receivers: Migration = {
  name: 'receivers',
  onlyAdds: true,
  async up(db) {
    for (const [name, preset] of [
      ['site', ''],
      ['lane', 'new'],
    ] as const) {
      const added = db.schema.alterTable('webhooks')
      await added.addColumn(name, 'text', (column) => column.notNull().defaultTo(preset)).execute()
    }
    await db.schema
      .createIndex('webhooks_lane')
      .on('webhooks')
      .columns(['lane', 'next_attempt_at', 'link_id', 'site', 'host'])
      .where('next_attempt_at', 'is not', null)
      .execute()
  },
}
