import type { ExpressionBuilder } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { OVERLAP_MS } from './rotation-store.ts'

/** A link as the holder of a collection's token names it. */
export interface Member {
  collectionId: string
  codeKey: string
}

/** The condition that a link is in a collection: its membership has not ended, and it is not deleted. */
export function isMember(now: number) {
  return (of: ExpressionBuilder<Tables, 'links' | 'memberships'>) =>
    of.and([of('links.deleted_at', 'is', null), hasNotEnded(now)(of)])
}

/**
 * The condition that a membership has not ended: a rotation of the link's token ends it once the new token is used, or after the
 * hour, but for the collection through which it was rotated.
 */
function hasNotEnded(now: number) {
  return (of: ExpressionBuilder<Tables, 'links' | 'memberships'>) =>
    of.or([
      of('links.rotated_at', 'is', null),
      of('links.rotated_at', '>', now - OVERLAP_MS),
      of('links.rotated_through', '=', of.ref('memberships.collection_id')),
    ])
}

/** The hashes of the tokens by which these links can be found, also of those that are deleted, by what names them; a link that is not in its collection has none. */
export async function findMemberTokens(
  db: Executor,
  members: Member[],
  now: number,
): Promise<(member: Member) => string | undefined> {
  const rows = await db
    .selectFrom('links')
    .innerJoin('memberships', 'memberships.link_id', 'links.id')
    .select(['memberships.collection_id', 'links.code_key'])
    .select(['links.token_hash', 'links.next_token_hash', 'links.rotated_at'])
    .where('links.code_key', 'in', [...new Set(members.map(({ codeKey }) => codeKey))])
    .where('memberships.collection_id', 'in', [...new Set(members.map(({ collectionId }) => collectionId))])
    .where(hasNotEnded(now))
    .execute()
  const hashes = new Map(
    rows.map((row) => {
      const isOver = row.rotated_at !== null && row.rotated_at <= now - OVERLAP_MS
      return [`${row.collection_id} ${row.code_key}`, (isOver ? row.next_token_hash : row.token_hash) ?? undefined]
    }),
  )
  return ({ collectionId, codeKey }) => hashes.get(`${collectionId} ${codeKey}`)
}

/** Ends the memberships of a link, but for the collection through which its token was rotated. */
export async function endOtherMemberships(db: Executor, linkId: number, through: string | null): Promise<void> {
  const ended = db.deleteFrom('memberships').where('link_id', '=', linkId)
  await (through === null ? ended : ended.where('collection_id', '<>', through)).execute()
}
