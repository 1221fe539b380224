import { randomBytes } from 'node:crypto'
import { sql } from '#kysely'
import type { Database } from '../../db/database.ts'

/** How often a node asks for the salt of the day: the store loses it when it crashes, and another node may store another. */
const REFRESH_MS = 60_000
const RETRY_MS = 1000

/** What the salts need of the rest of the program. */
export interface SaltNeeds {
  /** Resolves to the salt of a UTC day that all nodes share, which is `candidate` if there is none yet. */
  obtain: (day: string, candidate: string) => Promise<string>
  now: () => number
  monotonic: () => number
}

/**
 * The salt of the current UTC day that all nodes on a store share.
 * @returns a function that returns it at once
 */
export async function openSharedSalt(
  db: Database,
  clocks: Pick<SaltNeeds, 'now' | 'monotonic'>,
): Promise<() => string> {
  await createSaltTable(db)
  return openSalts({ obtain: (day, candidate) => obtainSalt(db, day, candidate), ...clocks })
}

/**
 * The salt of the current UTC day. Without the store, a node keeps the one that it has.
 * @returns a function that returns the salt at once, and asks for the next one in the background
 */
export async function openSalts({ obtain, now, monotonic }: SaltNeeds): Promise<() => string> {
  const dayOf = () => new Date(now()).toISOString().slice(0, 10)
  const newSalt = () => randomBytes(32).toString('hex')
  let day = dayOf()
  let salt = await obtain(day, newSalt())
  let askedAt = monotonic()

  async function refresh(today: string): Promise<void> {
    salt = await obtain(today, today === day ? salt : newSalt())
    day = today
  }

  return () => {
    const today = dayOf()
    if (monotonic() - askedAt >= (today === day ? REFRESH_MS : RETRY_MS)) {
      askedAt = monotonic()
      // The store's own errors are reported where requests need it.
      refresh(today).catch(() => {})
    }
    return salt
  }
}

/**
 * Creates the table of salts in PostgreSQL, in a schema of its own. It is unlogged: neither the write-ahead log nor a standby has
 * them.
 */
async function createSaltTable(db: Database): Promise<void> {
  await db.transaction(async (transaction) => {
    await db.lock(transaction, 'limits')
    await sql`create schema if not exists quirl_limits`.execute(transaction)
    const columns = 'day text primary key, salt text not null'
    await sql.raw(`create unlogged table if not exists quirl_limits.salts (${columns})`).execute(transaction)
  })
}

/** Returns the salt of a day, which is `candidate` if it has none yet, and deletes those of earlier days. */
async function obtainSalt({ write }: Pick<Database, 'write'>, day: string, candidate: string): Promise<string> {
  await sql`delete from quirl_limits.salts where day < ${day}`.execute(write)
  const { rows } = await sql<{ salt: string }>`
    insert into quirl_limits.salts as present (day, salt) values (${day}, ${candidate})
    on conflict (day) do update set salt = present.salt returning salt`.execute(write)
  return rows[0]?.salt ?? candidate
}
