import type { Executor } from '../db/database.ts'

/** Whether owners' pages were served under a name that was not registered. */
export async function hasServedPages(db: Executor, name: string): Promise<boolean> {
  const row = await db.selectFrom('page_names').select('name').where('name', '=', name).executeTakeFirst()
  return row !== undefined
}

/** Notes that owners' pages were served under a name. */
export async function notePages(db: Executor, name: string, now: number): Promise<void> {
  await db
    .insertInto('page_names')
    .values({ name, served_at: now })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ served_at: now }))
    .execute()
}

/** Drops the names that have not served pages for longest when there are more than `max`. */
export async function trimPageNames(db: Executor, max: number): Promise<void> {
  const beyond = db.selectFrom('page_names').select('name').orderBy('served_at', 'desc').limit(1000).offset(max)
  const names = (await beyond.execute()).map(({ name }) => name)
  if (names.length > 0) await db.deleteFrom('page_names').where('name', 'in', names).execute()
}

/** Has a name that does not lead here yet want a proof. */
export async function wantProof(db: Executor, name: string, now: number): Promise<void> {
  await db
    .updateTable('domains')
    .set({ proof_wanted: 1, updated_at: now })
    .where('name', '=', name)
    .where('status', '=', 'pending')
    .where('claimed_at', 'is', null)
    .execute()
}
