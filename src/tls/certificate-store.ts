import { sql, type Selectable } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { registrableOrSame } from '../lib/registrable.ts'
import type { Certificate } from './certificate.ts'
import { LONGEST_MS, TOTAL_MS } from './issuance-store.ts'

/** A stored certificate with its renewal state. Times are milliseconds since 1970, UTC. */
export interface StoredCertificate extends Certificate {
  renewAt: number
  /** When to ask the authority for its renewal window next. */
  checkRenewalAt: number
}

export async function findCertificate(db: Executor, name: string): Promise<StoredCertificate | undefined> {
  const row = await db.selectFrom('certificates').selectAll().where('name', '=', name).executeTakeFirst()
  return row && toCertificate(row)
}

export async function listCertificates(db: Executor): Promise<StoredCertificate[]> {
  return (await db.selectFrom('certificates').selectAll().orderBy('name').execute()).map(toCertificate)
}

/** The names of all certificates and when they expire, in no order. */
export async function listExpiries(db: Executor): Promise<{ name: string; notAfter: number }[]> {
  return db.selectFrom('certificates').select(['name', 'not_after as notAfter']).execute()
}

/** A certificate that is to be renewed. */
export interface DueCertificate extends StoredCertificate {
  /** Orders in a row that failed because of its name. */
  failures: number
}

type DueRow = Selectable<Tables['certificates']> & { failures: number }

/** The certificates with who holds them: a registrable domain, and the network that has registered the name. */
const held = sql`
  select certificates.*, coalesce(issuances.failures, 0) as failures, coalesce(retry_at, 0) as retry_at,
    case when issuances.failures > 0 then 'retry' else 'renewal' end as purpose,
    coalesce(certificates.registrable, certificates.name) as domain, coalesce(domains.allocation, certificates.name) as network
  from certificates
    left join issuances on issuances.name = certificates.name
    left join domains on domains.name = certificates.name`

/** The nth of each holder, after those that were ordered for him since. */
const turns = sql`
  select due.*,
    coalesce(of_domains.orders, 0) + row_number() over (
      partition by due.purpose, due.domain order by failures, not_after, due.name) as of_domain,
    coalesce(of_networks.orders, 0) + row_number() over (
      partition by due.purpose, due.network order by failures, not_after, due.name) as of_network,
    coalesce(tried_domains.at, 0) as domain_at, coalesce(tried_networks.at, 0) as network_at
  from due
    left join of_domains on of_domains.purpose = due.purpose and of_domains.registrable = due.domain
    left join of_networks on of_networks.purpose = due.purpose and of_networks.client = due.network
    left join tried_domains on tried_domains.domain = due.domain and failures > 0
    left join tried_networks on tried_networks.network = due.network and failures > 0`

/**
 * Certificates whose renewal, or the check for its time, is due, unless their names are put off: first those whose renewals have not
 * failed before, which have places of their own. Of either, those come first of whom fewest were ordered lately, by registrable domain
 * and by the network that has registered the name; of equal ones whose holder has failed longest ago, or which expires first. So whoever
 * has hundreds of names, also such that fail again and again, has one of them ordered and waits for all others to have had one. Of the
 * names of one holder, that is next which has failed least often, and of these that which expires first.
 */
export async function findDueCertificates(db: Executor, now: number): Promise<DueCertificate[]> {
  const { rows } = await sql<DueRow>`
    with held as (${held}),
    due as (
      select * from held
      where (renew_at <= ${now} or ask_at <= ${now}) and (retry_at <= ${now} or retry_at > ${now + LONGEST_MS})
    ),
    orders as (select purpose, registrable, client from acme_orders where placed_at > ${now - TOTAL_MS}),
    of_domains as (select purpose, registrable, count(*) as orders from orders group by purpose, registrable),
    of_networks as (select purpose, client, count(*) as orders from orders group by purpose, client),
    tried_domains as (select domain, max(retry_at) as at from held where failures > 0 group by domain),
    tried_networks as (select network, max(retry_at) as at from held where failures > 0 group by network),
    turns as (${turns})
    select * from turns
    order by purpose, case when of_domain > of_network then of_domain else of_network end,
      case when domain_at > network_at then domain_at else network_at end, not_after, name`.execute(db)
  return rows.map((row) => ({ ...toCertificate(row), failures: row.failures }))
}

/** Inserts the certificate of a name, or replaces it. */
export async function saveCertificate(db: Executor, certificate: StoredCertificate): Promise<void> {
  const { name, chain, key, notBefore, notAfter, renewAt, checkRenewalAt } = certificate
  const values = {
    registrable: registrableOrSame(name),
    chain,
    key,
    not_before: notBefore,
    not_after: notAfter,
    renew_at: renewAt,
    ask_at: checkRenewalAt,
  }
  await db
    .insertInto('certificates')
    .values({ name, first_at: notBefore, ...values })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
    .execute()
}

/** Updates the renewal times of a certificate, unless it has been replaced. */
export async function updateRenewal(
  db: Executor,
  { name, chain, renewAt, checkRenewalAt }: StoredCertificate,
): Promise<void> {
  await db
    .updateTable('certificates')
    .set({ renew_at: renewAt, ask_at: checkRenewalAt })
    .where('name', '=', name)
    .where('chain', '=', chain)
    .execute()
}

export async function deleteCertificates(db: Executor, expiredBefore: number): Promise<void> {
  await db.deleteFrom('certificates').where('not_after', '<', expiredBefore).execute()
}

function toCertificate(row: Selectable<Tables['certificates']>): StoredCertificate {
  return {
    name: row.name,
    chain: row.chain,
    key: row.key,
    notBefore: row.not_before,
    notAfter: row.not_after,
    renewAt: row.renew_at,
    checkRenewalAt: row.ask_at,
  }
}
