import type { Kysely } from '#kysely'
import type { Migration, MigrationDialect } from './migration.ts'
import type { Tables } from '../schema.ts'

/** Webhooks of collections, the events that are to be sent to them, and what is known of each link for them. */
export const collectionWebhooks: Migration = {
  name: 'collection-webhooks',
  onlyAdds: true,
  async up(db, dialect) {
    await addWebhooks(db)
    await addOutbox(db, dialect)
    await addWatches(db)
  },
}

async function addWebhooks(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('collection_webhooks')
    .addColumn('collection_id', 'text', (column) =>
      column.primaryKey().references('collections.id').onDelete('cascade'),
    )
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('site', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('lane', 'text', (column) => column.notNull().defaultTo('new'))
    .addColumn('events', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('failing_since', 'bigint')
    .addColumn('given_up_at', 'bigint')
    .addColumn('next_attempt_at', 'bigint')
    .addColumn('last_delivery_at', 'bigint')
    .addColumn('last_status', 'integer')
    .addColumn('last_error', 'text')
    .addColumn('dropped', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  const index = (name: string) => db.schema.createIndex(`collection_webhooks_${name}`).on('collection_webhooks')
  await index('given_up_at').column('given_up_at').execute()
  await index('lane')
    .columns(['lane', 'next_attempt_at', 'collection_id', 'site', 'host'])
    .where('next_attempt_at', 'is not', null)
    .execute()
}

/** It refers to no row of another table: a change of a link must wait for nobody who removes a webhook meanwhile. */
async function addOutbox(db: Kysely<Tables>, dialect: MigrationDialect): Promise<void> {
  await dialect
    .addIdColumn(db.schema.createTable('collection_outbox'), 'id')
    .addColumn('collection_id', 'text', (column) => column.notNull())
    .addColumn('link_id', 'bigint', (column) => column.notNull())
    .addColumn('event_id', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('network', 'text')
    .addColumn('is_new', 'smallint', (column) => column.notNull().defaultTo(1))
    .execute()
  const index = (name: string) => db.schema.createIndex(`collection_outbox_${name}`).on('collection_outbox')
  await index('collection_id').columns(['collection_id', 'id']).execute()
  await index('link_id').column('link_id').execute()
  await index('network').column('network').execute()
  await index('is_new').columns(['is_new', 'collection_id']).where('is_new', '=', 1).execute()
}

async function addWatches(db: Kysely<Tables>): Promise<void> {
  const add = () => db.schema.alterTable('memberships')
  await add().addColumn('milestone', 'bigint').execute()
  await add().addColumn('watched_at', 'bigint').execute()
  await add().addColumn('next_check_at', 'bigint').execute()
  await add()
    .addColumn('check_failures', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await add().addColumn('destination_failing_since', 'bigint').execute()
  await db.schema
    .createIndex('memberships_watched_at')
    .on('memberships')
    .columns(['watched_at', 'link_id', 'collection_id'])
    .where('watched_at', 'is not', null)
    .execute()
  await db.schema
    .createIndex('memberships_next_check_at')
    .on('memberships')
    .columns(['next_check_at', 'link_id'])
    .where('next_check_at', 'is not', null)
    .execute()
}
