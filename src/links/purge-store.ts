import type { Executor } from '../db/database.ts'
import { chunks } from './store.ts'

/** Records that links are deleted, and that their data elsewhere is still to be purged. */
export async function insertDeletions(db: Executor, linkIds: number[]): Promise<void> {
  for (const chunk of chunks(linkIds)) {
    const rows = chunk.map((id) => ({ link_id: id }))
    for (const table of ['deletions', 'purges'] as const) {
      await db
        .insertInto(table)
        .values(rows)
        .onConflict((conflict) => conflict.column('link_id').doNothing())
        .execute()
    }
  }
}

/** Which of these IDs belonged to links that are deleted. */
export async function findDeleted(db: Executor, linkIds: number[]): Promise<number[]> {
  const rows = await db.selectFrom('deletions').select('link_id').where('link_id', 'in', linkIds).execute()
  return rows.map((row) => row.link_id)
}

/** The deleted links whose data elsewhere may not be purged yet. */
export async function findPurges(db: Executor): Promise<number[]> {
  const rows = await db.selectFrom('purges').select('link_id').execute()
  return rows.map((row) => row.link_id)
}

/** Records that the data of these deleted links is purged. */
export async function deletePurges(db: Executor, linkIds: number[]): Promise<void> {
  for (const chunk of chunks(linkIds)) await db.deleteFrom('purges').where('link_id', 'in', chunk).execute()
}
