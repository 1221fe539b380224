import { sql, type Selectable } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { registrableOrSame } from '../lib/registrable.ts'
import type { Certificate } from './certificate.ts'
import { LONGEST_MS } from './issuance-store.ts'

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

/** The place of a certificate among those of its registrable domain whose renewals have failed as often. */
const nthOfDomain = sql<number>`row_number() over (
  partition by coalesce(certificates.registrable, certificates.name), coalesce(issuances.failures, 0)
  order by certificates.not_after, certificates.name
)`

/**
 * Certificates whose renewal, or the check for its time, is due, unless their names are put off: those first whose renewals have
 * failed least often. Of these, registrable domains take turns, so that many names of one stranger do not stand before those of
 * others, and the next one is that which expires first.
 */
export async function findDueCertificates(db: Executor, now: number): Promise<DueCertificate[]> {
  const rows = await db
    .selectFrom('certificates')
    .leftJoin('issuances', 'issuances.name', 'certificates.name')
    .selectAll('certificates')
    .select((each) => [each.fn.coalesce('issuances.failures', each.lit(0)).as('failures'), nthOfDomain.as('nth')])
    .where((each) => each.or([each('renew_at', '<=', now), each('ask_at', '<=', now)]))
    .where((each) =>
      each.or([
        each('issuances.retry_at', 'is', null),
        each('issuances.retry_at', '<=', now),
        each('issuances.retry_at', '>', now + LONGEST_MS),
      ]),
    )
    .orderBy('failures')
    .orderBy('nth')
    .orderBy('not_after')
    .execute()
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
