import { sql, type Selectable } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { DnsFault } from './dns-fault.ts'
import { LONGEST_WAIT_MS, type Domain, type Served } from './domain.ts'
import { notePages } from './page-names-store.ts'

type Row = Selectable<Tables['domains']>

/** Digests of from where a name was registered, as `Holder` has them. */
export interface Registrant {
  allocation: string
  network: string
  client: string
}

const nobody = { allocation: null, network: null, client: null }

/** Adds a name. Returns false when it exists. */
export async function insertDomain(db: Executor, domain: Domain, from?: Registrant): Promise<boolean> {
  const result = await db
    .insertInto('domains')
    .values({ ...toRow(domain), ...(from ?? nobody) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

export async function findDomain(db: Executor, name: string): Promise<Domain | undefined> {
  const row = await db.selectFrom('domains').selectAll().where('name', '=', name).executeTakeFirst()
  return row && toDomain(row)
}

/** All domains by name. */
export async function listDomains(db: Executor): Promise<Domain[]> {
  return (await db.selectFrom('domains').selectAll().orderBy('name').execute()).map(toDomain)
}

/**
 * Stores the result of a check.
 * @param tokenHash the token hash when the domain was read
 * @returns false when the domain has another token now, or was removed
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

/** Deletes a name. Returns false when it does not exist. */
export async function deleteDomain(db: Executor, name: string): Promise<boolean> {
  const rows = await db.deleteFrom('domains').where('name', '=', name).returning(rememberedColumns).execute()
  await rememberPages(db, rows)
  return rows.length === 1
}

/** Deletes a name and all names under it. Names have no wildcard characters of LIKE. */
export async function deleteUnder(db: Executor, name: string): Promise<void> {
  const rows = await db
    .deleteFrom('domains')
    .where((each) => each.or([each('name', '=', name), each('name', 'like', `%.${name}`)]))
    .returning(rememberedColumns)
    .execute()
  await rememberPages(db, rows)
}

const rememberedColumns = ['name', 'status', 'status_since', 'updated_at', 'proof_wanted'] as const

/** Notes which of the deleted names served pages although they led here: who registers one next may be anybody again. */
async function rememberPages(db: Executor, rows: Pick<Row, (typeof rememberedColumns)[number]>[]): Promise<void> {
  const open = rows.filter((row) => row.proof_wanted === 1 && row.status !== 'pending')
  // One that leads here was last checked within the hour.
  const lastAt = (row: (typeof open)[number]) => (row.status === 'active' ? row.updated_at : row.status_since)
  await notePages(
    db,
    open.map((row) => ({ name: row.name, at: lastAt(row) })),
  )
}

/** Deletes the names that have not pointed here for too long, except those that someone claims. */
export async function deleteExpired(db: Executor, before: { pending: number; misconfigured: number }): Promise<void> {
  const rows = await db
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
    .returning(rememberedColumns)
    .execute()
  await rememberPages(db, rows)
}

/** The number of active names under a registrable domain, or of those of them that were proven. */
export async function countActive(db: Executor, registrable: string, which: 'all' | 'proven' = 'all'): Promise<number> {
  const active = db
    .selectFrom('domains')
    .select((each) => each.fn.countAll<number>().as('count'))
    .where('registrable', '=', registrable)
    .where('status', '=', 'active')
  const counted = which === 'proven' ? active.where('claimed_at', 'is not', null) : active
  return (await counted.executeTakeFirstOrThrow()).count
}

/** How many names of a client do not lead here. */
export interface Waiting extends Pick<Registrant, 'network' | 'client'> {
  count: number
}

/** How many names that do not lead here were registered from an allocation, by client. */
export async function countWaiting(db: Executor, allocation: string): Promise<Waiting[]> {
  const rows = await db
    .selectFrom('domains')
    .select((each) => ['network', 'client', each.fn.countAll<number>().as('count')])
    .where('allocation', '=', allocation)
    .where('status', '!=', 'active')
    .groupBy(['network', 'client'])
    .execute()
  return rows.map(({ network, client, count }) => ({ network: network ?? '', client: client ?? '', count }))
}

/** The name of a client that has been here longest of those that do not lead here; one that somebody claims only if all are. */
export async function findOldestWaiting(db: Executor, from: Registrant): Promise<string | undefined> {
  const row = await db
    .selectFrom('domains')
    .leftJoin('domain_claims', 'domain_claims.name', 'domains.name')
    .select('domains.name')
    .where('allocation', '=', from.allocation)
    .where('network', '=', from.network)
    .where('client', '=', from.client)
    .where('status', '!=', 'active')
    .orderBy((each) => each.case().when('domain_claims.name', 'is', null).then(0).else(1).end())
    .orderBy('domains.created_at')
    .orderBy('domains.name')
    .limit(1)
    .executeTakeFirst()
  return row?.name
}

/** No check is to be so much later than the one before. */
const AHEAD_MS = 2 * LONGEST_WAIT_MS

/**
 * Names whose next check is due, the longest overdue first; then those that would wait longer than any is meant to, because they
 * were checked while the clock was ahead.
 */
export async function findDue(db: Executor, now: number, limit: number): Promise<Domain[]> {
  const domains = db.selectFrom('domains').selectAll().orderBy('next_check_at').limit(limit)
  const due = await domains.where('next_check_at', '<=', now).execute()
  const ahead = due.length < limit ? await domains.where('next_check_at', '>', now + AHEAD_MS).execute() : []
  return [...due, ...ahead].slice(0, limit).map(toDomain)
}

/** Leases a due check, so that no other process runs it. Returns false when another process was faster. */
export async function leaseCheck(db: Executor, domain: Domain, until: number): Promise<boolean> {
  const result = await db
    .updateTable('domains')
    .set({ next_check_at: until })
    .where('name', '=', domain.name)
    .where('next_check_at', '=', domain.nextCheckAt)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Moves the next check of a name forward to that time, unless it is due earlier. */
export async function advanceCheck(db: Executor, name: string, at: number): Promise<void> {
  await db
    .updateTable('domains')
    .set({ next_check_at: at })
    .where('name', '=', name)
    .where('next_check_at', '>', at)
    .execute()
}

/** What a row serves, as `servedOf` has it. */
const served = sql<Served>`case when status = 'active' and proof_wanted = 1 then 'open' else status end`

/** How many names serve what. */
export async function countStatuses(db: Executor): Promise<{ status: Served; count: number }[]> {
  const query = db.selectFrom('domains').select((each) => [served.as('served'), each.fn.countAll<number>().as('count')])
  const rows = await query.groupBy(served).execute()
  return rows.map(({ served: status, count }) => ({ status, count }))
}

/** What names serve that changed at that time or later. */
export async function findStatuses(db: Executor, since: number): Promise<{ name: string; status: Served }[]> {
  const rows = await db
    .selectFrom('domains')
    .select(['name', served.as('served')])
    .where('updated_at', '>=', since)
    .execute()
  return rows.map(({ name, served: status }) => ({ name, status }))
}

function toRow(domain: Domain): Omit<Row, keyof Registrant> {
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
    fault_findings: domain.fault === undefined ? null : JSON.stringify(domain.fault.findings),
    claimed_at: domain.claimedAt ?? null,
    proof_wanted: domain.proofWanted ? 1 : 0,
  }
}

function toDomain(row: Row): Domain {
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
    fault: faultOf(row),
    claimedAt: row.claimed_at ?? undefined,
    proofWanted: row.proof_wanted === 1,
  }
}

function faultOf({ fault_code: code, fault_detail: detail, fault_findings: findings }: Row): DnsFault | undefined {
  if (code === null) return undefined
  // Checks of earlier versions stored no findings.
  const found = JSON.parse(findings ?? '[]') as DnsFault['findings']
  return { code: code as DnsFault['code'], detail: detail ?? '', findings: found }
}
