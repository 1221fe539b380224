import { sql } from '#kysely'
import type { Executor } from '../db/database.ts'
import { codeKey } from './code.ts'
import type { Link } from './link.ts'
import { ownToken } from './rotation-store.ts'
import { linkColumns, toLink } from './store.ts'

/** How long a deleted link can be brought back, in milliseconds. */
export const UNDO_MS = 24 * 60 * 60 * 1000

/** Comes before the keys of a deleted link; no code and no hash of a token has a colon. */
const MARK = 'deleted:'

/** The form in which a deleted link has the key of its code, and the hashes of its tokens. */
export function hidden(key: string): string {
  return MARK + key
}

/** The key of a hidden one. */
export function shown(hiddenKey: string): string {
  return hiddenKey.slice(MARK.length)
}

/** A link that was deleted, and can be brought back. */
export interface DeletedLink {
  link: Link
  /** Milliseconds since 1970, UTC. */
  deletedAt: number
}

/**
 * Deletes a link so that it can be brought back: hides its keys, and takes its code. Everything that refers to it stays.
 * @returns false when the link was changed or deleted since it was read
 */
export async function hideLink(db: Executor, link: Link, now: number): Promise<boolean> {
  const key = codeKey(link.code)
  const { numUpdatedRows } = await db
    .updateTable('links')
    .set((of) => ({
      code_key: hidden(key),
      token_hash: sql<string>`${MARK} || token_hash`,
      // Null stays null.
      next_token_hash: sql<string | null>`${MARK} || next_token_hash`,
      deleted_at: now,
      revision: of('revision', '+', 1),
    }))
    .where('id', '=', link.id)
    .where('revision', '=', link.revision)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) return false
  await db.insertInto('codes').values({ code_key: key }).execute()
  return true
}

/** Brings a deleted link back. @returns false when it was changed, brought back or deleted for good since it was read */
export async function showLink(db: Executor, link: Link): Promise<boolean> {
  const key = codeKey(link.code)
  const from = MARK.length + 1
  const { numUpdatedRows } = await db
    .updateTable('links')
    .set((of) => ({
      code_key: key,
      token_hash: sql<string>`substr(token_hash, ${sql.lit(from)})`,
      next_token_hash: sql<string | null>`substr(next_token_hash, ${sql.lit(from)})`,
      deleted_at: null,
      revision: of('revision', '+', 1),
    }))
    .where('id', '=', link.id)
    .where('revision', '=', link.revision)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) return false
  await db.deleteFrom('codes').where('code_key', '=', key).execute()
  return true
}

/** The links that were deleted after `since`, and had tokens with these hashes, which work, by hash. */
export async function findDeletedByTokens(
  db: Executor,
  tokenHashes: string[],
  { since, now }: { since: number; now: number },
): Promise<Map<string, DeletedLink>> {
  const hashes = tokenHashes.map(hidden)
  const rows = await db
    .selectFrom('links')
    .select([...linkColumns, 'token_hash', 'next_token_hash', 'deleted_at'])
    .where((of) => of.or([ownToken(hashes, now)(of), of('next_token_hash', 'in', hashes)]))
    .where('deleted_at', '>', since)
    .execute()
  const found = new Map<string, DeletedLink>()
  for (const { token_hash: own, next_token_hash: next, deleted_at: deletedAt, ...row } of rows) {
    const named = [own, next].find((hash) => hash !== null && hashes.includes(hash)) ?? ''
    found.set(shown(named), { link: toLink(row), deletedAt: deletedAt ?? 0 })
  }
  return found
}

/** The same by the key of its code. */
export async function findDeletedByCode(db: Executor, key: string, since: number): Promise<DeletedLink | undefined> {
  const row = await db
    .selectFrom('links')
    .select([...linkColumns, 'deleted_at'])
    .where('code_key', '=', hidden(key))
    .where('deleted_at', '>', since)
    .executeTakeFirst()
  return row && { link: toLink(row), deletedAt: row.deleted_at ?? 0 }
}

/**
 * The link of a code, also one that was deleted after `since`, as it is then. One statement sees one state: who deletes a link and
 * brings it back all the time hides it from nobody.
 */
export async function findStoredByCode(db: Executor, key: string, since: number): Promise<Link | undefined> {
  const row = await db
    .selectFrom('links')
    .select(linkColumns)
    .where('code_key', 'in', [key, hidden(key)])
    .where((of) => of.or([of('deleted_at', 'is', null), of('deleted_at', '>', since)]))
    .executeTakeFirst()
  return row && toLink(row)
}

/** Whether a link is said to be deleted at a time after this one. */
export async function isAnyDeletedAfter(db: Executor, time: number): Promise<boolean> {
  const query = db.selectFrom('links').select('id').where('deleted_at', '>', time)
  return (await query.limit(1).executeTakeFirst()) !== undefined
}

/** Has such links be deleted at this time. */
export async function setDeletedAfter(db: Executor, time: number): Promise<void> {
  await db.updateTable('links').set({ deleted_at: time }).where('deleted_at', '>', time).execute()
}

/** Some links that were deleted at `until` or earlier, and are still stored. */
export async function findOverdue(db: Executor, until: number, limit: number): Promise<Link[]> {
  const query = db.selectFrom('links').select(linkColumns).where('deleted_at', '<=', until)
  return (await query.orderBy('deleted_at').limit(limit).execute()).map(toLink)
}
