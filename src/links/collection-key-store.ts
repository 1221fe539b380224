import type { Executor } from '../db/database.ts'
import { OVERLAP_MS } from './rotation-store.ts'

/** A collection that a token opens, and whether it is the one that is to replace the collection's own. */
export interface CollectionKey {
  id: string
  isNext: boolean
}

/** The collection of a token, if that works. */
export async function findCollectionKey(
  db: Executor,
  tokenHash: string,
  now: number,
): Promise<CollectionKey | undefined> {
  const row = await db
    .selectFrom('collections')
    .select(['id', 'token_hash', 'rotated_at'])
    .where((of) => of.or([of('token_hash', '=', tokenHash), of('next_token_hash', '=', tokenHash)]))
    .executeTakeFirst()
  if (row === undefined) return undefined
  const isNext = row.token_hash !== tokenHash
  const isOver = !isNext && row.rotated_at !== null && row.rotated_at <= now - OVERLAP_MS
  return isOver ? undefined : { id: row.id, isNext }
}

/** Makes the next token of a collection its own, and the only one. Does nothing when it is no collection's next token any more. */
export async function promoteCollectionKey(db: Executor, tokenHash: string): Promise<void> {
  await db
    .updateTable('collections')
    .set({ token_hash: tokenHash, next_token_hash: null, rotated_at: null })
    .where('next_token_hash', '=', tokenHash)
    .execute()
}

/** Stores the token that is to replace a collection's own; an earlier one that was not used is void. */
export async function putNextCollectionKey(
  db: Executor,
  id: string,
  { nextHash, now }: { nextHash: string; now: number },
): Promise<void> {
  await db.updateTable('collections').set({ next_token_hash: nextHash, rotated_at: now }).where('id', '=', id).execute()
}
