import type { Executor } from '../db/database.ts'
import { isMember } from '../links/member-store.ts'

/** A page of the ids of the links that the holder of a collection's token owns by it, in ascending order. */
export async function memberIdsAfter(
  db: Executor,
  collectionId: string,
  { after, limit, now }: { after: number; limit: number; now: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('memberships')
    .innerJoin('links', 'links.id', 'memberships.link_id')
    .select('memberships.link_id')
    .where('memberships.collection_id', '=', collectionId)
    .where('memberships.link_id', '>', after)
    .where(isMember(now))
    .orderBy('memberships.link_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.link_id)
}
