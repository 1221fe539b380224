import type { ExpressionBuilder } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'

/** How long a token works beside the unused one that is to replace it. */
export const OVERLAP_MS = 60 * 60 * 1000

/** The condition that a link's own token has one of these hashes, and works. */
export function ownToken(tokenHashes: string[], now: number) {
  return (of: ExpressionBuilder<Tables, 'links'>) =>
    of.and([
      of('token_hash', 'in', tokenHashes),
      of.or([of('rotated_at', 'is', null), of('rotated_at', '>', now - OVERLAP_MS)]),
    ])
}

/** Stores the token that is to replace a link's own. `through` is the id of a collection, when its token was shown. @returns false when that is no working token of a link */
export async function putNextToken(
  db: Executor,
  tokenHash: string,
  { nextHash, through, now }: { nextHash: string; through: string | null; now: number },
): Promise<boolean> {
  const update = db.updateTable('links').set({ next_token_hash: nextHash, rotated_at: now, rotated_through: through })
  const { numUpdatedRows } = await update.where(ownToken([tokenHash], now)).executeTakeFirst()
  return numUpdatedRows === 1n
}

/** The same by the operator, for a link whose owner has lost its token. @returns false when the link was deleted */
export async function putRekeyed(
  db: Executor,
  linkId: number,
  { nextHash, now }: { nextHash: string; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('links')
    .set({ next_token_hash: nextHash, rotated_at: now, rotated_through: null, rekeyed_at: now })
    .where('id', '=', linkId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** The next token of a link whose own one has ended an hour after the rotation, although the next one was not used. */
export async function findLateNext(db: Executor, linkId: number, now: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('links')
    .select('next_token_hash')
    .where('id', '=', linkId)
    .where('rotated_at', '<=', now - OVERLAP_MS)
    .executeTakeFirst()
  return row?.next_token_hash ?? undefined
}

/**
 * What each of some tokens is to its link, whether it works or not, by hash; a token of no link has no entry. One statement
 * sees one state.
 */
export async function findRoles(db: Executor, tokenHashes: string[]): Promise<Map<string, 'own' | 'next'>> {
  const rows = await db
    .selectFrom('links')
    .select(['token_hash', 'next_token_hash'])
    .where((of) => of.or([of('token_hash', 'in', tokenHashes), of('next_token_hash', 'in', tokenHashes)]))
    .execute()
  const roles = new Map<string, 'own' | 'next'>()
  for (const { token_hash: own, next_token_hash: next } of rows) {
    if (tokenHashes.includes(own)) roles.set(own, 'own')
    if (next !== null && tokenHashes.includes(next)) roles.set(next, 'next')
  }
  return roles
}

/**
 * Makes the next token of a link its own, and the only one. Does nothing when it is no link's next token any more.
 * @returns the link, and the id of the collection through which it was rotated
 */
export async function promoteToken(
  db: Executor,
  tokenHash: string,
): Promise<{ id: number; through: string | null } | undefined> {
  const row = await db
    .selectFrom('links')
    .select(['id', 'rotated_through as through'])
    .where('next_token_hash', '=', tokenHash)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { numUpdatedRows } = await db
    .updateTable('links')
    .set((of) => ({
      token_hash: tokenHash,
      next_token_hash: null,
      rotated_at: null,
      rotated_through: null,
      // Whose own rotation came after that of the operator has a token that the operator has not seen.
      rekeyed_at: of.case().when('rekeyed_at', '=', of.ref('rotated_at')).then(of.ref('rekeyed_at')).else(null).end(),
    }))
    .where('next_token_hash', '=', tokenHash)
    .executeTakeFirst()
  return numUpdatedRows === 1n ? row : undefined
}
