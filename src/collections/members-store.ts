import type { Executor } from '../db/database.ts'
import type { Link } from '../links/link.ts'
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

/** A link in a collection. */
export type Member = Pick<Link, 'id' | 'code' | 'title' | 'campaign'>

/** A page of links. */
export interface MemberPage {
  /** The id of the last link of the page before; 0 for the first one. */
  after: number
  limit: number
  now: number
  /** Of links of one campaign; null for those without one, undefined for all. */
  campaign: string | null | undefined
}

/** A page of the links that the holder of a collection's token owns by it, by their ids. */
export async function membersAfter(
  db: Executor,
  collectionId: string,
  { after, limit, now, campaign }: MemberPage,
): Promise<Member[]> {
  const query = db
    .selectFrom('memberships')
    .innerJoin('links', 'links.id', 'memberships.link_id')
    .select(['links.id', 'links.code', 'links.title', 'links.campaign'])
    .where('memberships.collection_id', '=', collectionId)
    .where('memberships.link_id', '>', after)
    .where(isMember(now))
    .orderBy('memberships.link_id')
    .limit(limit)
  if (campaign === undefined) return query.execute()
  return query.where('links.campaign', campaign === null ? 'is' : '=', campaign).execute()
}
