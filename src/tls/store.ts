import type { Selectable } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { Certificate } from './certificate.ts'

/** A certificate as it is kept, with what is known of its renewal. Times are milliseconds since 1970, UTC. */
export interface KeptCertificate extends Certificate {
  renewAt: number
  /** When the authority is next asked when to renew. */
  askAt: number
}

export async function findCertificate(db: Executor, name: string): Promise<KeptCertificate | undefined> {
  const row = await db.selectFrom('certificates').selectAll().where('name', '=', name).executeTakeFirst()
  return row && toCertificate(row)
}

export async function listCertificates(db: Executor): Promise<KeptCertificate[]> {
  return (await db.selectFrom('certificates').selectAll().orderBy('name').execute()).map(toCertificate)
}

/** Certificates of which something is to be done: to ask when to renew, or to renew. */
export async function findDueCertificates(db: Executor, now: number): Promise<KeptCertificate[]> {
  const rows = await db
    .selectFrom('certificates')
    .selectAll()
    .where((each) => each.or([each('renew_at', '<=', now), each('ask_at', '<=', now)]))
    .orderBy('not_after')
    .execute()
  return rows.map(toCertificate)
}

/** Keeps a certificate in place of the one that the name had. */
export async function saveCertificate(db: Executor, certificate: KeptCertificate): Promise<void> {
  const { name, chain, key, notBefore, notAfter, renewAt, askAt } = certificate
  const rest = { chain, key, not_before: notBefore, not_after: notAfter, renew_at: renewAt, ask_at: askAt }
  await db
    .insertInto('certificates')
    .values({ name, ...rest })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(rest))
    .execute()
}

/** Notes when to renew a certificate, unless it was replaced meanwhile. */
export async function updateRenewal(db: Executor, { name, chain, renewAt, askAt }: KeptCertificate): Promise<void> {
  await db
    .updateTable('certificates')
    .set({ renew_at: renewAt, ask_at: askAt })
    .where('name', '=', name)
    .where('chain', '=', chain)
    .execute()
}

export async function deleteCertificates(db: Executor, expiredBefore: number): Promise<void> {
  await db.deleteFrom('certificates').where('not_after', '<', expiredBefore).execute()
}

/** What is known of attempts to get a certificate for a name. */
export interface Issuance {
  failures: number
  retryAt: number
  fault: string | undefined
}

export async function findIssuance(db: Executor, name: string): Promise<Issuance | undefined> {
  const row = await db.selectFrom('issuances').selectAll().where('name', '=', name).executeTakeFirst()
  return row && toIssuance(row)
}

export async function listIssuances(db: Executor): Promise<(Issuance & { name: string })[]> {
  const rows = await db.selectFrom('issuances').selectAll().orderBy('name').execute()
  return rows.map((row) => ({ name: row.name, ...toIssuance(row) }))
}

/** Replaces what is known of the attempts for a name. */
export async function saveIssuance(db: Executor, name: string, issuance: Issuance): Promise<void> {
  const row = { failures: issuance.failures, retry_at: issuance.retryAt, fault: issuance.fault ?? null }
  await db
    .insertInto('issuances')
    .values({ name, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
}

/** Forgets the failures of a name, so that it is tried at once. */
export async function forgiveName(db: Executor, name: string): Promise<void> {
  await db.updateTable('issuances').set({ failures: 0, retry_at: 0, fault: null }).where('name', '=', name).execute()
}

export async function countOrders(db: Executor, since: number): Promise<number> {
  const row = await db
    .selectFrom('acme_orders')
    .select((each) => each.fn.countAll<number>().as('count'))
    .where('placed_at', '>', since)
    .executeTakeFirstOrThrow()
  return row.count
}

export async function insertOrder(db: Executor, now: number, forgetBefore: number): Promise<void> {
  await db.deleteFrom('acme_orders').where('placed_at', '<', forgetBefore).execute()
  await db.insertInto('acme_orders').values({ placed_at: now }).execute()
}

/** The account with an authority: its key (PEM), and its address once it has one. */
export async function findAccount(
  db: Executor,
  directory: string,
): Promise<{ key: string; url: string | null } | undefined> {
  const row = await db.selectFrom('acme_accounts').selectAll().where('directory', '=', directory).executeTakeFirst()
  return row && { key: row.key, url: row.address }
}

/** Keeps the key of a new account, unless another process has made one. */
export async function insertAccount(db: Executor, directory: string, key: string): Promise<void> {
  await db
    .insertInto('acme_accounts')
    .values({ directory, key, address: null })
    .onConflict((conflict) => conflict.column('directory').doNothing())
    .execute()
}

/** Replaces the address of an account, if it is still `before`. */
export async function updateAccount(
  db: Executor,
  directory: string,
  before: string | null,
  url: string | null,
): Promise<void> {
  await db
    .updateTable('acme_accounts')
    .set({ address: url })
    .where('directory', '=', directory)
    .where('address', before === null ? 'is' : '=', before)
    .execute()
}

export async function insertChallenge(
  db: Executor,
  challenge: Selectable<Tables['acme_challenges']>,
  forgetBefore: number,
): Promise<void> {
  await db.deleteFrom('acme_challenges').where('created_at', '<', forgetBefore).execute()
  await db
    .insertInto('acme_challenges')
    .values(challenge)
    .onConflict((conflict) => conflict.column('token').doUpdateSet({ answer: challenge.answer }))
    .execute()
}

export async function findChallenge(db: Executor, token: string): Promise<string | undefined> {
  const row = await db.selectFrom('acme_challenges').select('answer').where('token', '=', token).executeTakeFirst()
  return row?.answer
}

export async function deleteChallenge(db: Executor, token: string): Promise<void> {
  await db.deleteFrom('acme_challenges').where('token', '=', token).execute()
}

/** The key of a period: `key`, or the one that another process was faster with. Older ones are removed. */
export async function keepTicketKey(db: Executor, period: number, key: string): Promise<string> {
  await db.deleteFrom('ticket_keys').where('period', '<', period).execute()
  await db
    .insertInto('ticket_keys')
    .values({ period, key })
    .onConflict((conflict) => conflict.column('period').doNothing())
    .execute()
  const row = await db.selectFrom('ticket_keys').select('key').where('period', '=', period).executeTakeFirst()
  return row?.key ?? key
}

function toCertificate(row: Selectable<Tables['certificates']>): KeptCertificate {
  return {
    name: row.name,
    chain: row.chain,
    key: row.key,
    notBefore: row.not_before,
    notAfter: row.not_after,
    renewAt: row.renew_at,
    askAt: row.ask_at,
  }
}

function toIssuance(row: Selectable<Tables['issuances']>): Issuance {
  return { failures: row.failures, retryAt: row.retry_at, fault: row.fault ?? undefined }
}
