import type { Executor } from '../db/database.ts'

/** Names that are stored: beyond, those that have served no page for longest are forgotten. */
const MAX_NAMES = 1000

/** A name that has served pages, and when last. */
export interface PageName {
  name: string
  at: number
}

/** Whether pages were served under a name that was not narrowed. */
export async function hasServedPages(db: Executor, name: string): Promise<boolean> {
  const row = await db.selectFrom('page_names').select('name').where('name', '=', name).executeTakeFirst()
  return row !== undefined
}

/** Notes that pages were served under names. */
export async function notePages(db: Executor, names: readonly PageName[]): Promise<void> {
  const newest = names.toSorted((one, other) => other.at - one.at).slice(0, MAX_NAMES)
  if (newest.length === 0) return
  await db
    .insertInto('page_names')
    .values(newest.map(({ name, at }) => ({ name, served_at: at })))
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet((each) => ({ served_at: each.ref('excluded.served_at') }))
        .whereRef('page_names.served_at', '<', 'excluded.served_at'),
    )
    .execute()
  await trimPageNames(db, MAX_NAMES)
}

async function trimPageNames(db: Executor, max: number): Promise<void> {
  const beyond = db.selectFrom('page_names').select('name').orderBy('served_at', 'desc').limit(1000).offset(max)
  const names = (await beyond.execute()).map(({ name }) => name)
  if (names.length > 0) await db.deleteFrom('page_names').where('name', 'in', names).execute()
}
