import { sql } from '#kysely'
import type { Database } from './database.ts'

/** What is known of the clock, in milliseconds since 1970. */
export interface SeenClock {
  /** The latest time that is known to have come. */
  seenAt: number
  /** The time of the last check, also when it is doubted. */
  checkedAt: number
  /** For how long the service has run with a clock that is doubted. */
  doubtedMs: number
}

type Executor = Parameters<Parameters<Database['transaction']>[0]>[0]

/** What is stored, and the time by the clock of the store. */
export async function readClock(
  { time }: Pick<Database, 'time'>,
  transaction: Executor,
): Promise<{ now: number; stored: SeenClock | undefined; newestLink: number | undefined }> {
  const row = await transaction
    .selectNoFrom((each) => [
      sql<number>`${time()}`.as('now'),
      each.selectFrom('links').select('created_at').orderBy('created_at', 'desc').limit(1).as('newest'),
    ])
    .executeTakeFirstOrThrow()
  const stored = await transaction.selectFrom('clock').selectAll().executeTakeFirst()
  return {
    now: row.now,
    stored: stored && { seenAt: stored.seen_at, checkedAt: stored.checked_at, doubtedMs: stored.doubted_ms },
    newestLink: row.newest ?? undefined,
  }
}

export async function writeClock(transaction: Executor, { seenAt, checkedAt, doubtedMs }: SeenClock): Promise<void> {
  const row = { seen_at: seenAt, checked_at: checkedAt, doubted_ms: doubtedMs }
  await transaction
    .insertInto('clock')
    .values({ one: 1, ...row })
    .onConflict((conflict) => conflict.column('one').doUpdateSet(row))
    .execute()
}
