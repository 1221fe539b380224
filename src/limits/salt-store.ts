import { sql } from '#kysely'
import type { Database } from '../db/database.ts'

/**
 * Creates the table of salts in PostgreSQL, in a schema of its own. It is unlogged: neither the write-ahead log nor a standby has
 * them.
 */
export async function createSaltTable(db: Database): Promise<void> {
  await db.transaction(async (transaction) => {
    await db.lock(transaction, 'limits')
    await sql`create schema if not exists quirl_limits`.execute(transaction)
    const columns = 'day text primary key, salt text not null'
    await sql.raw(`create unlogged table if not exists quirl_limits.salts (${columns})`).execute(transaction)
  })
}

/** Returns the salt of a day, which is `candidate` if it has none yet, and deletes those of earlier days. */
export async function obtainSalt({ write }: Pick<Database, 'write'>, day: string, candidate: string): Promise<string> {
  await sql`delete from quirl_limits.salts where day < ${day}`.execute(write)
  const { rows } = await sql<{ salt: string }>`
    insert into quirl_limits.salts as present (day, salt) values (${day}, ${candidate})
    on conflict (day) do update set salt = present.salt returning salt`.execute(write)
  return rows[0]?.salt ?? candidate
}
