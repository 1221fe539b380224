import { sql } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Suspension } from '../links/link.ts'
import { isMember } from '../links/member-store.ts'

/** Which links of a collection are read: those that meet every condition that is given. */
export interface MemberConditions {
  kind?: string | undefined
  /** Null for links without one. */
  campaign?: string | null | undefined
  state?: 'active' | 'paused' | 'removed' | undefined
}

/** What decides whether and where a link stands in a list. */
export interface MemberKey {
  id: number
  code: string
  createdAt: number
  title: string | null
  campaign: string | null
}

/** What a list says of a link; its scans stand elsewhere. */
export interface Member extends MemberKey {
  kind: string
  target: string | null
  /** The kind's own fields; null where they are longer than a list reads. */
  payload: Record<string, unknown> | null
  /** 0 when it is paused. */
  active: number
  updatedAt: number
  revision: number
  suspension: Pick<Suspension, 'at' | 'reason' | 'source'> | null
}

/** What a search reads of a link. */
export interface SearchedMember extends MemberKey {
  target: string | null
  /** The kind's own fields as JSON; null where it is longer than a search reads. */
  payload: string | null
}

/** Bytes of a link's own fields that a list and a search read. */
const SEARCHED_BYTES = 8 * 1024

const keyColumns = ['links.id', 'links.code', 'links.created_at as createdAt', 'links.title', 'links.campaign'] as const

/** What part of a collection one statement reads: links with greater ids than `after`, in the order of ids. */
export interface MemberPart {
  collectionId: string
  after: number
  limit: number
  now: number
}

function shortPayload() {
  return sql<string | null>`case when octet_length(links.payload) <= ${sql.lit(SEARCHED_BYTES)} then links.payload end`
}

/** The keys of the next links of a collection. */
export async function findMemberKeys(
  db: Executor,
  part: MemberPart,
  conditions: MemberConditions,
): Promise<MemberKey[]> {
  return selectMembers(db, part, conditions).select(keyColumns).execute()
}

/** The ids of the next links of a collection. */
export async function findMemberIds(db: Executor, part: MemberPart, conditions: MemberConditions): Promise<number[]> {
  const rows = await selectMembers(db, part, conditions).select('links.id').execute()
  return rows.map(({ id }) => id)
}

/** The keys of the next links of a collection, with what a search reads. */
export async function findSearchedMembers(
  db: Executor,
  part: MemberPart,
  conditions: MemberConditions,
): Promise<SearchedMember[]> {
  return selectMembers(db, part, conditions)
    .select([...keyColumns, 'links.target', shortPayload().as('payload')])
    .execute()
}

/** The next links of a collection that meet the conditions, without what is read of them. */
export function selectMembers(
  db: Executor,
  { collectionId, after, limit, now }: MemberPart,
  { kind, campaign, state }: MemberConditions,
) {
  let query = db
    .selectFrom('memberships')
    .innerJoin('links', 'links.id', 'memberships.link_id')
    .where('memberships.collection_id', '=', collectionId)
    .where('memberships.link_id', '>', after)
    .where(isMember(now))
  if (kind !== undefined) query = query.where('links.kind', '=', kind)
  if (campaign !== undefined) query = query.where('links.campaign', campaign === null ? 'is' : '=', campaign)
  if (state !== undefined) query = query.where('links.removed_at', state === 'removed' ? 'is not' : 'is', null)
  if (state === 'active' || state === 'paused') query = query.where('links.active', '=', state === 'active' ? 1 : 0)
  return query.orderBy('memberships.link_id').limit(limit)
}

/** What a list says of these links, by their ids. */
export async function findMembersById(db: Executor, ids: readonly number[]): Promise<Map<number, Member>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('links')
    .select([
      ...keyColumns,
      'links.kind',
      'links.target',
      'links.active',
      'links.updated_at as updatedAt',
      'links.revision',
    ])
    .select([shortPayload().as('payload'), 'links.removed_at', 'links.removed_reason', 'links.removed_source'])
    .where('links.id', 'in', ids)
    .execute()
  return new Map(
    rows.map(({ removed_at: at, removed_reason: reason, removed_source: source, payload, ...member }) => [
      member.id,
      {
        ...member,
        payload: payload === null ? null : (JSON.parse(payload) as Record<string, unknown>),
        suspension: at === null ? null : { at, reason: reason ?? '', source: source as Suspension['source'] },
      },
    ]),
  )
}
