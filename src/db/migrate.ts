import type { Kysely, Transaction } from '#kysely'
import { StartError } from '../lib/start-error.ts'
import { links } from './migrations/0001-links.ts'
import { abuse } from './migrations/0002-abuse.ts'
import { domains } from './migrations/0003-domains.ts'
import { designs } from './migrations/0004-designs.ts'
import { certificates } from './migrations/0005-certificates.ts'
import { claims } from './migrations/0006-claims.ts'
import { purges } from './migrations/0007-purges.ts'
import { instance } from './migrations/0009-instance.ts'
import { leases } from './migrations/0010-leases.ts'
import { retiredCodes } from './migrations/0011-retired-codes.ts'
import { names } from './migrations/0012-names.ts'
import { revisions } from './migrations/0013-revisions.ts'
import { rotations } from './migrations/0014-rotations.ts'
import { rules } from './migrations/0015-rules.ts'
import { passwords } from './migrations/0016-passwords.ts'
import { shares } from './migrations/0017-shares.ts'
import { webhooks } from './migrations/0018-webhooks.ts'
import { findings } from './migrations/0019-findings.ts'
import { sharedLists } from './migrations/0020-shared-lists.ts'
import { creationKeys } from './migrations/0021-creation-keys.ts'
import { additions } from './migrations/0022-additions.ts'
import { linksByTime } from './migrations/0023-links-by-time.ts'
import { retiredCodesStay } from './migrations/0024-retired-codes-stay.ts'
import { clock } from './migrations/0025-clock.ts'
import { certificateQueue } from './migrations/0026-certificate-queue.ts'
import { receivers } from './migrations/0027-receivers.ts'
import { domainProofs } from './migrations/0028-domain-proofs.ts'
import { warnings } from './migrations/0029-warnings.ts'
import { reporters } from './migrations/0030-reporters.ts'
import { certificateShares } from './migrations/0031-certificate-shares.ts'
import { eventNetworks } from './migrations/0032-event-networks.ts'
import { placements } from './migrations/0033-placements.ts'
import { outboxNetworks } from './migrations/0034-outbox-networks.ts'
import { collections } from './migrations/0035-collections.ts'
import { undo } from './migrations/0036-undo.ts'
import { collectionTokens } from './migrations/0037-collection-tokens.ts'
import { looks } from './migrations/0038-looks.ts'
import { collectionShares } from './migrations/0039-collection-shares.ts'
import { collectionWebhooks } from './migrations/0040-collection-webhooks.ts'
import { orderPurposes } from './migrations/0041-order-purposes.ts'
import { domainNetworks } from './migrations/0042-domain-networks.ts'
import { certificateDomains } from './migrations/0043-certificate-domains.ts'
import { pausedWebhooks } from './migrations/0044-paused-webhooks.ts'
import { untoldReports } from './migrations/0045-untold-reports.ts'
import { provenOrders } from './migrations/0046-proven-orders.ts'
import type { Migration, MigrationDialect } from './migrations/migration.ts'
import type { Tables } from './schema.ts'

/** Append-only: a released step is never edited, moved or removed. */
export const migrations: readonly Migration[] = [
  links,
  abuse,
  domains,
  designs,
  certificates,
  claims,
  purges,
  instance,
  leases,
  retiredCodes,
  names,
  revisions,
  rotations,
  rules,
  passwords,
  shares,
  webhooks,
  findings,
  sharedLists,
  creationKeys,
  additions,
  linksByTime,
  retiredCodesStay,
  clock,
  certificateQueue,
  receivers,
  domainProofs,
  warnings,
  reporters,
  certificateShares,
  eventNetworks,
  placements,
  outboxNetworks,
  collections,
  undo,
  collectionTokens,
  looks,
  collectionShares,
  collectionWebhooks,
  orderPurposes,
  domainNetworks,
  certificateDomains,
  pausedWebhooks,
  untoldReports,
  provenOrders,
]

/**
 * Migrates the schema to this program's version. Several processes may call it concurrently: each step runs once.
 * @param where names the database in the error, for the operator
 * @param steps all, or those of an older version
 * @throws {StartError} when the database was written by a newer quirl, before any change; not when it is shared, and what is
 * unknown of it only adds: a node of the release before can be started again while the others are upgraded
 */
export async function migrate(
  db: Kysely<Tables>,
  dialect: MigrationDialect,
  where: string,
  now: () => number,
  steps = migrations,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await dialect.lock(transaction)
    const applied = await appliedCount(transaction)
    if (applied > steps.length) {
      if (dialect.isShared && (await onlyAdds(transaction, steps.length))) return
      throw new StartError(
        `${where} was written by a newer quirl (schema ${applied}, this one knows ${steps.length}): start that one`,
      )
    }
    for (const [index, step] of steps.entries()) {
      if (index < applied) continue
      await step.up(transaction, dialect)
      await transaction
        .insertInto('migrations')
        .values({ number: index + 1, name: step.name, applied_at: now(), ...(step.onlyAdds && { only_adds: 1 }) })
        .execute()
    }
  })
}

/** Whether every step after these only adds. The steps that this program knows include the column. */
async function onlyAdds(db: Transaction<Tables>, known: number): Promise<boolean> {
  const others = db.selectFrom('migrations').select('number').where('number', '>', known).where('only_adds', '=', 0)
  return (await others.executeTakeFirst()) === undefined
}

async function appliedCount(db: Transaction<Tables>): Promise<number> {
  const tables = await db.introspection.getTables()
  if (!tables.some((table) => table.name === 'migrations')) {
    await db.schema
      .createTable('migrations')
      .addColumn('number', 'integer', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute()
  }
  const row = await db
    .selectFrom('migrations')
    .select((each) => each.fn.max('number').as('newest'))
    .executeTakeFirst()
  return row?.newest ?? 0
}
