import type { Database, Executor } from '../db/database.ts'

/** Salts by day, as `2026-11-26`. */
export type Salts = ReadonlyMap<string, string>

/** The salts of the days from `first` on, and that of `today`, which is `candidate` if it has none yet. */
export async function obtainSalts(db: Executor, first: string, today: string, candidate: string): Promise<Salts> {
  await db
    .insertInto('reporter_salts')
    .values({ day: today, salt: candidate })
    .onConflict((conflict) => conflict.column('day').doNothing())
    .execute()
  const rows = await db.selectFrom('reporter_salts').select(['day', 'salt']).where('day', '>=', first).execute()
  return new Map(rows.map(({ day, salt }) => [day, salt]))
}

/** A digest of a network, and the day of its salt. */
export interface Reporter {
  day: string
  network: number
}

/** From where a link was reported since a day. */
export async function findReporters(db: Executor, linkId: number, first: string): Promise<Reporter[]> {
  const query = db.selectFrom('reporters').select(['day', 'network']).where('link_id', '=', linkId)
  return query.where('day', '>=', first).execute()
}

export async function insertReporter(db: Executor, linkId: number, { day, network }: Reporter): Promise<void> {
  await db
    .insertInto('reporters')
    .values({ link_id: linkId, day, network })
    .onConflict((conflict) => conflict.columns(['link_id', 'day', 'network']).doNothing())
    .execute()
}

export async function deleteReporter(db: Executor, linkId: number, { day, network }: Reporter): Promise<void> {
  await db
    .deleteFrom('reporters')
    .where('link_id', '=', linkId)
    .where('day', '=', day)
    .where('network', '=', network)
    .execute()
}

/** Deletes all that is known of the reporters of a link. */
export async function deleteReporters(db: Executor, linkId: number): Promise<void> {
  await db.deleteFrom('reporters').where('link_id', '=', linkId).execute()
}

/** Deletes what is from before a day. Nothing is written without need: each start and each hour asks for it. */
export async function deleteReportersBefore({ read, write }: Database, first: string): Promise<void> {
  const old = await read.selectFrom('reporter_salts').select('day').where('day', '<', first).limit(1).execute()
  if (old.length === 0) return
  await write.deleteFrom('reporters').where('day', '<', first).execute()
  // Last, because they tell that something is left.
  await write.deleteFrom('reporter_salts').where('day', '<', first).execute()
}
