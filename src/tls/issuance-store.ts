import { sql, type Selectable } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { registrableOrSame } from '../lib/registrable.ts'
import { isProven } from './issued-store.ts'

/** The longest that a name is put off: a time that is further ahead was written by a clock that was wrong. */
export const LONGEST_MS = 24 * 60 * 60 * 1000

/** How far back the longer limit of orders looks, and for how long one counts for whom it was placed. */
export const TOTAL_MS = 3 * 60 * 60 * 1000

/**
 * What an order is for: the first certificate of a custom domain, another one of it, that again after it has failed, the service's host,
 * or an operator asks.
 */
export type Purpose = NonNullable<Tables['acme_orders']['purpose']>

/** The outcome of the latest attempts to obtain a certificate for a name. */
export interface Issuance {
  /** Attempts in a row that failed because of the name. */
  failures: number
  /** Attempts in a row that failed for another reason. */
  interruptions: number
  retryAt: number
  fault: string | undefined
  /** Since when the name waits for its first certificate; undefined unless it does. */
  queuedAt: number | undefined
}

export async function findIssuance(
  db: Executor,
  name: string,
): Promise<(Issuance & Pick<OrderHolder, 'client'>) | undefined> {
  const row = await db.selectFrom('issuances').selectAll().where('name', '=', name).executeTakeFirst()
  return row && { ...toIssuance(row), client: row.client }
}

export async function listIssuances(db: Executor): Promise<(Issuance & { name: string })[]> {
  const rows = await db.selectFrom('issuances').selectAll().orderBy('name').execute()
  return rows.map((row) => ({ name: row.name, ...toIssuance(row) }))
}

/** Inserts or replaces the outcome for a name. */
export async function saveIssuance(db: Executor, name: string, issuance: Issuance): Promise<void> {
  const { failures, interruptions, retryAt, fault = null, queuedAt = null } = issuance
  const values = {
    failures,
    interruptions,
    retry_at: retryAt,
    fault,
    queued_at: queuedAt,
    // Nobody visits what does not wait.
    ...(queuedAt === null && { client: null }),
  }
  await db
    .insertInto('issuances')
    .values({ name, ...values })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
    .execute()
}

/** Clears the failures of a name, so that the next attempt need not wait. */
export async function resetIssuance(db: Executor, name: string): Promise<void> {
  await db
    .updateTable('issuances')
    .set({ failures: 0, interruptions: 0, retry_at: 0, fault: null })
    .where('name', '=', name)
    .execute()
}

/** Whose share of the orders a name takes. */
export interface OrderHolder {
  registrable: string
  /** A digest of the network from which it is visited, by a key of this process; null when none is known. */
  client: string | null
}

/** Has a name wait for its first certificate. One that does already keeps its turn, and counts for this holder from then on. */
export async function enqueue(db: Executor, name: string, queuedAt: number, holder: OrderHolder): Promise<void> {
  await db
    .insertInto('issuances')
    .values({ name, failures: 0, retry_at: 0, fault: null, queued_at: queuedAt, ...holder })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((each) => ({
        ...holder,
        queued_at: each.fn.coalesce('issuances.queued_at', 'excluded.queued_at'),
      })),
    )
    .execute()
}

/** How many names wait that count for a network. */
export async function countQueuedOf(db: Executor, network: string): Promise<number> {
  const row = await db
    .selectFrom('issuances')
    .select((each) => each.fn.countAll<number>().as('count'))
    .where('queued_at', 'is not', null)
    .where('client', '=', network)
    .executeTakeFirstOrThrow()
  return row.count
}

/** How many orders were placed since a time: of all names, or of first certificates that count for a network. */
export async function countOrders(db: Executor, since: number, network?: string): Promise<number> {
  const orders = db.selectFrom('acme_orders').select((each) => each.fn.countAll<number>().as('count'))
  const late = orders.where('placed_at', '>', since)
  const counted = network === undefined ? late : late.where('client', '=', network).where('purpose', '=', 'first')
  return (await counted.executeTakeFirstOrThrow()).count
}

export async function dequeue(db: Executor, name: string): Promise<void> {
  const waiting = db.updateTable('issuances').set({ queued_at: null, client: null }).where('queued_at', 'is not', null)
  await waiting.where('name', '=', name).execute()
}

/** Which of the names that wait are asked for. */
export interface QueueQuery {
  now: number
  /** Orders since then count for whom they were placed. */
  since: number
  /** The most orders of one registrable domain, and of one network, since then. */
  most: number
  /** Names that are ordered at the moment. */
  except: string[]
}

/**
 * How often each name that waits has had its turn, by registrable domain and by network: the orders of its holder, and those names of
 * the same holder that wait for longer. A name that DNS has proven to be somebody's counts only proven ones of its domain: of those
 * that are not, strangers may have any number where a wildcard record leads here.
 */
const turns = sql`
  select name, queued_at,
    case when waiting.proven = 1 then nth_of_proven + coalesce(of_domains.proven_orders, 0)
      else nth_of_domain + coalesce(of_domains.orders, 0) end as of_domain,
    nth_of_client + coalesce(of_clients.orders, 0) as of_client
  from waiting
    left join of_domains on of_domains.registrable = waiting.registrable
    left join of_clients on of_clients.client = waiting.client`

/**
 * The name whose turn it is: of those who have had fewest orders since a time, by registrable domain and by network, the one that
 * has waited longest; undefined when none may be ordered now.
 */
export async function findNext(db: Executor, { now, since, most, except }: QueueQuery): Promise<string | undefined> {
  const others = except.length === 0 ? sql`` : sql`and issuances.name not in (${sql.join(except)})`
  const { rows } = await sql<{ name: string }>`
    with queue as (
      select issuances.name, queued_at, coalesce(issuances.registrable, issuances.name) as domain, issuances.registrable,
        issuances.client, case when domains.claimed_at is null then 0 else 1 end as proven
      from issuances left join domains on domains.name = issuances.name
      where queued_at is not null and (retry_at <= ${now} or retry_at > ${now + LONGEST_MS}) ${others}
    ),
    waiting as (
      select queue.*,
        row_number() over (partition by domain order by queued_at, name) as nth_of_domain,
        row_number() over (partition by domain, proven order by queued_at, name) as nth_of_proven,
        row_number() over (partition by coalesce(client, name) order by queued_at, name) as nth_of_client
      from queue
    ),
    orders as (select registrable, client, proven from acme_orders where placed_at > ${since} and purpose = 'first'),
    of_domains as (select registrable, count(*) as orders, sum(proven) as proven_orders from orders group by registrable),
    of_clients as (select client, count(*) as orders from orders group by client),
    turns as (${turns})
    select name from turns where of_domain <= ${most} and of_client <= ${most}
    order by case when of_domain > of_client then of_domain else of_client end, queued_at, name limit 1`.execute(db)
  return rows[0]?.name
}

/** How many first certificates were ordered since a time for the holders of a name that waits: under its domain, and for its network. */
export async function countOrdersBefore(
  db: Executor,
  name: string,
  since: number,
): Promise<{ ofDomain: number; ofNetwork: number }> {
  const isOfNetwork = sql<boolean>`acme_orders.client = issuances.client`
  const proven = sql`exists (select 1 from domains where domains.name = issuances.name and claimed_at is not null)`
  const isOfDomain = sql<boolean>`acme_orders.registrable = issuances.registrable and (proven = 1 or not ${proven})`
  const row = await db
    .selectFrom('acme_orders')
    .innerJoin('issuances', (join) => join.on('issuances.name', '=', name))
    .select((each) => [
      each.fn.countAll<number>().filterWhere(isOfDomain).as('ofDomain'),
      each.fn.countAll<number>().filterWhere(isOfNetwork).as('ofNetwork'),
    ])
    .where('placed_at', '>', since)
    .where('purpose', '=', 'first')
    .executeTakeFirstOrThrow()
  return row
}

/** How many names wait, and since when the first of them has. */
export async function countQueued(db: Executor): Promise<{ count: number; since: number | undefined }> {
  const row = await db
    .selectFrom('issuances')
    .select((each) => [each.fn.countAll<number>().as('count'), each.fn.min('queued_at').as('since')])
    .where('queued_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return { count: row.count, since: row.since ?? undefined }
}

/** Deletes what became of names that have not been tried for long, and do not wait. */
export async function deleteIssuances(db: Executor, retryBefore: number): Promise<void> {
  await db.deleteFrom('issuances').where('retry_at', '<', retryBefore).where('queued_at', 'is', null).execute()
}

/** Which orders are looked through. */
export interface OrderQuery {
  since: number
  until: number
  /** How many newer ones are passed over. */
  skip: number
  /** Only those that were for this. */
  purpose?: Purpose | undefined
}

/** When the newest order within a time was placed, or the one before that, and so on. */
export async function findNewestOrder(
  db: Executor,
  { since, until, skip, purpose }: OrderQuery,
): Promise<number | undefined> {
  const orders = db
    .selectFrom('acme_orders')
    .select('placed_at')
    .where('placed_at', '>', since)
    .where('placed_at', '<=', until)
  const counted = purpose === undefined ? orders : orders.where('purpose', '=', purpose)
  return (await counted.orderBy('placed_at', 'desc').offset(skip).limit(1).executeTakeFirst())?.placed_at
}

/**
 * Records an order, and purges old ones. It counts for somebody: one for a first certificate for whom the name waits, a renewal for who
 * has registered the name.
 * @returns its id
 */
export async function insertOrder(
  db: Executor,
  { name, purpose }: { name: string; purpose: Purpose },
  now: number,
  purgeBefore: number,
): Promise<number> {
  await db.deleteFrom('acme_orders').where('placed_at', '<', purgeBefore).execute()
  const [holder, proven] = [await findHolder(db, name, purpose), (await isProven(db, name)) ? 1 : 0]
  const { registrable = null, client = null } = holder ?? {}
  const values = { placed_at: now, purpose, proven, registrable, client }
  const row = await db.insertInto('acme_orders').values(values).returning('id').executeTakeFirstOrThrow()
  return row.id
}

type StoredHolder = Pick<Selectable<Tables['issuances']>, keyof OrderHolder>

async function findHolder(db: Executor, name: string, purpose: Purpose): Promise<StoredHolder | undefined> {
  if (purpose === 'first') {
    return db.selectFrom('issuances').select(['registrable', 'client']).where('name', '=', name).executeTakeFirst()
  }
  if (purpose !== 'renewal' && purpose !== 'retry') return undefined
  const registered = db.selectFrom('domains').select('allocation').where('name', '=', name)
  const client = (await registered.executeTakeFirst())?.allocation ?? name
  return { registrable: registrableOrSame(name), client }
}

/** Removes an order that was not placed. */
export async function deleteOrder(db: Executor, id: number): Promise<void> {
  await db.deleteFrom('acme_orders').where('id', '=', id).execute()
}

function toIssuance(row: Selectable<Tables['issuances']>): Issuance {
  const { failures, interruptions, retry_at: retryAt, fault, queued_at: queuedAt } = row
  return { failures, interruptions, retryAt, fault: fault ?? undefined, queuedAt: queuedAt ?? undefined }
}
