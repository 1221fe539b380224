import type { Executor } from '../db/database.ts'

/** The progress of a sweep. */
export interface SweepState {
  /** The digest of the lists and rulings that it applies. */
  lists: string
  /** The id of the last screened link. */
  position: number
  finished: boolean
  /** Counts the requests to begin again with the first link. */
  requests: number
}

const SWEEP = 'links'

export async function readSweep(db: Executor): Promise<SweepState | undefined> {
  const row = await db.selectFrom('sweeps').selectAll().where('name', '=', SWEEP).executeTakeFirst()
  return row && { lists: row.lists, position: row.position, finished: row.finished === 1, requests: row.requests }
}

/** Stores the progress. @returns false when a request came since it was read */
export async function writeSweep(db: Executor, { lists, position, finished, requests }: SweepState): Promise<boolean> {
  const values = { lists, position, finished: finished ? 1 : 0 }
  const result = await db
    .insertInto('sweeps')
    .values({ name: SWEEP, requests, ...values })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(values).where('sweeps.requests', '=', requests))
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Makes the sweep that applies these lists begin again, also one that is under way in another process. */
export async function requestSweep(db: Executor, lists: string): Promise<void> {
  await db
    .updateTable('sweeps')
    .set((each) => ({ position: 0, finished: 0, requests: each('requests', '+', 1) }))
    .where('name', '=', SWEEP)
    .where('lists', '=', lists)
    .execute()
}
