import { sql, type Expression } from '#kysely'
import type { Executor } from './database.ts'

/** Times are milliseconds since 1970, UTC. */
interface LeaseTimes {
  now: Expression<number>
  lengthMs: number
}

/** Takes a lease that is free or expired, or extends the holder's own. @returns false while another holder has it */
export async function takeLease(
  db: Executor,
  name: string,
  holder: string,
  { now, lengthMs }: LeaseTimes,
): Promise<boolean> {
  const row = { holder, expires_at: sql<number>`${now} + cast(${lengthMs} as bigint)` }
  const result = await db
    .insertInto('leases')
    .values({ name, ...row })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet(row)
        .where((each) => each.or([each('leases.expires_at', '<=', now), each('leases.holder', '=', holder)])),
    )
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Whether a holder still has a lease; it keeps an expired one until another takes it. */
export async function holdsLease(db: Executor, name: string, holder: string): Promise<boolean> {
  const row = await db
    .selectFrom('leases')
    .select('name')
    .where('name', '=', name)
    .where('holder', '=', holder)
    .executeTakeFirst()
  return row !== undefined
}

/** Frees a lease; nothing happens when another holder has taken it over. */
export async function freeLease(db: Executor, name: string, holder: string): Promise<void> {
  await db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
}
