import type { Selectable } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { DnsFault } from './dns.ts'
import type { Domain, Status } from './domain.ts'

type Row = Selectable<Tables['domains']>

/** Adds a name. False when it is there already. */
export async function insertDomain(db: Executor, domain: Domain): Promise<boolean> {
  const result = await db
    .insertInto('domains')
    .values(toRow(domain))
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export async function findDomain(db: Executor, name: string): Promise<Domain | undefined> {
  const row = await db.selectFrom('domains').selectAll().where('name', '=', name).executeTakeFirst()
  return row && toDomain(row)
}

/** Every name in order, for whoever runs the service. */
export async function listDomains(db: Executor): Promise<Domain[]> {
  return (await db.selectFrom('domains').selectAll().orderBy('name').execute()).map(toDomain)
}

/**
 * Writes what a check has found.
 * @param tokenHash the one with which it was read; false when the name has another one now, or has gone
 */
export async function updateDomain(db: Executor, domain: Domain, tokenHash: string): Promise<boolean> {
  const result = await db
    .updateTable('domains')
    .set(toRow(domain))
    .where('name', '=', domain.name)
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Removes a name. False when it was not there. */
export async function deleteDomain(db: Executor, name: string): Promise<boolean> {
  const result = await db.deleteFrom('domains').where('name', '=', name).executeTakeFirst()
  return result.numDeletedRows === 1n
}

/** Removes a name and all under it. Names hold nothing that a pattern could be made of. */
export async function deleteUnder(db: Executor, name: string): Promise<void> {
  await db
    .deleteFrom('domains')
    .where((each) => each.or([each('name', '=', name), each('name', 'like', `%.${name}`)]))
    .execute()
}

/** Removes the names that have not led here for too long, but for those that someone claims. */
export async function deleteForgotten(db: Executor, before: { pending: number; misconfigured: number }): Promise<void> {
  await db
    .deleteFrom('domains')
    .where((each) =>
      each.or([
        each.and([each('status', '=', 'pending'), each('created_at', '<', before.pending)]),
        each.and([each('status', '=', 'misconfigured'), each('status_since', '<', before.misconfigured)]),
      ]),
    )
    .where((each) =>
      each.not(
        each.exists(
          each.selectFrom('domain_claims').select('proof').whereRef('domain_claims.name', '=', 'domains.name'),
        ),
      ),
    )
    .execute()
}

/** How many names below a registrable one are active. */
export async function countActive(db: Executor, registrable: string): Promise<number> {
  const row = await db
    .selectFrom('domains')
    .select((each) => each.fn.countAll<number>().as('count'))
    .where('registrable', '=', registrable)
    .where('status', '=', 'active')
    .executeTakeFirstOrThrow()
  return row.count
}

/** Names whose next check is due, the longest overdue first. */
export async function findDue(db: Executor, now: number, limit: number): Promise<Domain[]> {
  const rows = await db
    .selectFrom('domains')
    .selectAll()
    .where('next_check_at', '<=', now)
    .orderBy('next_check_at')
    .limit(limit)
    .execute()
  return rows.map(toDomain)
}

/** Takes a due check, so that no other process does it. False when another was faster. */
export async function claimCheck(db: Executor, domain: Domain, until: number): Promise<boolean> {
  const result = await db
    .updateTable('domains')
    .set({ next_check_at: until })
    .where('name', '=', domain.name)
    .where('next_check_at', '=', domain.nextCheckAt)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Makes the next check of a name due at that time, unless it is due before. */
export async function hastenCheck(db: Executor, name: string, at: number): Promise<void> {
  await db
    .updateTable('domains')
    .set({ next_check_at: at })
    .where('name', '=', name)
    .where('next_check_at', '>', at)
    .execute()
}

export async function countDomains(db: Executor): Promise<number> {
  const row = await db
    .selectFrom('domains')
    .select((each) => each.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}

/** Names and statuses that were written at that time or later. */
export async function findStatuses(db: Executor, since: number): Promise<{ name: string; status: Status }[]> {
  return db.selectFrom('domains').select(['name', 'status']).where('updated_at', '>=', since).execute()
}

function toRow(domain: Domain): Row {
  return {
    name: domain.name,
    registrable: domain.registrable,
    token_hash: domain.tokenHash,
    status: domain.status,
    status_since: domain.statusSince,
    created_at: domain.createdAt,
    updated_at: domain.updatedAt,
    checked_at: domain.checkedAt ?? null,
    next_check_at: domain.nextCheckAt,
    failures: domain.failures,
    failing_since: domain.failingSince ?? null,
    fault_code: domain.fault?.code ?? null,
    fault_detail: domain.fault?.detail ?? null,
    claimed_at: domain.claimedAt ?? null,
  }
}

function toDomain(row: Row): Domain {
  const fault =
    row.fault_code === null ? undefined : { code: row.fault_code as DnsFault['code'], detail: row.fault_detail ?? '' }
  return {
    name: row.name,
    registrable: row.registrable,
    tokenHash: row.token_hash,
    status: row.status,
    statusSince: row.status_since,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    checkedAt: row.checked_at ?? undefined,
    nextCheckAt: row.next_check_at,
    failures: row.failures,
    failingSince: row.failing_since ?? undefined,
    fault,
    claimedAt: row.claimed_at ?? undefined,
  }
}
