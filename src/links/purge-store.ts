import type { Executor } from '../db/database.ts'
import { chunks } from './store.ts'

/** Notes that what is kept elsewhere about a deleted link is still to be removed. */
export async function insertPurge(db: Executor, linkId: number): Promise<void> {
  await db.insertInto('purges').values({ link_id: linkId }).execute()
}

/** The deleted links of which something may be kept elsewhere. */
export async function findPurges(db: Executor): Promise<number[]> {
  const rows = await db.selectFrom('purges').select('link_id').execute()
  return rows.map((row) => row.link_id)
}

/** Forgets deleted links of which nothing is kept any more. */
export async function deletePurges(db: Executor, linkIds: number[]): Promise<void> {
  for (const chunk of chunks(linkIds)) await db.deleteFrom('purges').where('link_id', 'in', chunk).execute()
}
