import { sql } from '#kysely'
import type { Database } from '../../db/database.ts'
import { dayOf } from '../../scans/calendar.ts'
import { newSalt } from '../../scans/describing/visitors.ts'
import { suffixOf } from './visitor-days.ts'

/** How often the salts of today and tomorrow are fetched. */
const FETCH_MS = 60_000

/** The salts of UTC days, which all nodes share. */
export interface VisitorSalts {
  of: (day: number) => string
  close: () => void
}

/**
 * Fetches the salts of today and tomorrow, and does so every minute: a node has the next day's before it begins. A node that
 * could not fetch one uses its own until it can. A crash of PostgreSQL empties the tables, and the nodes put back theirs.
 * @throws when the first fetch fails
 */
export async function openVisitorSalts(
  db: Pick<Database, 'write' | 'transaction' | 'lock'>,
  now: () => number,
  onError: (error: unknown) => void,
): Promise<VisitorSalts> {
  const salts = new Map<number, string>()

  const of = (day: number): string => {
    const known = salts.get(day)
    if (known !== undefined) return known
    const salt = propose(day)
    // The clock has jumped, or PostgreSQL was away for a day: other nodes may have another salt, and get this one if they have none.
    void fetchAll().catch(onError)
    return salt
  }

  /** What is proposed is in use at once: a visit that came meanwhile would get another one, and its visitor count twice. */
  function propose(day: number): string {
    const salt = salts.get(day) ?? newSalt()
    salts.set(day, salt)
    return salt
  }

  async function fetchAll(): Promise<void> {
    const today = dayOf(now())
    for (const day of [today, today + 1]) salts.set(day, await agreeOn(db, day, propose(day)))
    for (const day of salts.keys()) if (day < today - 1) salts.delete(day)
  }

  await fetchAll()
  const timer = setInterval(() => void fetchAll().catch(onError), FETCH_MS).unref()
  return { of, close: () => clearInterval(timer) }
}

/** Stores a day's salt, unless a node has. @returns the stored one */
async function agreeOn(db: Pick<Database, 'transaction' | 'lock'>, day: number, salt: string): Promise<string> {
  const table = sql.table(`quirl_visitors.salt_${suffixOf(day)}`)
  return db.transaction(async (transaction) => {
    await db.lock(transaction, 'visitor days')
    await sql`create unlogged table if not exists ${table} (one integer primary key check (one = 1), salt text not null)`.execute(
      transaction,
    )
    await sql`insert into ${table} values (1, ${salt}) on conflict do nothing`.execute(transaction)
    const { rows } = await sql<{ salt: string }>`select salt from ${table}`.execute(transaction)
    return rows[0]?.salt ?? salt
  })
}
