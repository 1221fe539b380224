import type { Executor } from '../db/database.ts'
import type { Claim } from './claim.ts'

export async function insertClaim(db: Executor, { name, proof, tokenHash, createdAt }: Claim): Promise<void> {
  await db.insertInto('domain_claims').values({ name, proof, token_hash: tokenHash, created_at: createdAt }).execute()
}

/** Deletes the oldest claim of a name when there are more than `max`; call it after each insertion. */
export async function trimClaims(db: Executor, name: string, max: number): Promise<void> {
  const excess = await db
    .selectFrom('domain_claims')
    .select('proof')
    .where('name', '=', name)
    .orderBy('created_at', 'desc')
    .limit(1)
    .offset(max)
    .executeTakeFirst()
  if (excess !== undefined) await deleteClaims(db, name, [excess.proof])
}

/** The time of the newest claim of a name since `since`; undefined when there is none. */
export async function findLastClaimTime(db: Executor, name: string, since: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('domain_claims')
    .select('created_at')
    .where('name', '=', name)
    .where('created_at', '>=', since)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.created_at
}

/** The newest claim of a name since `since` with one of these proofs. */
export async function findProvenClaim(
  db: Executor,
  name: string,
  proofs: readonly string[],
  since: number,
): Promise<Claim | undefined> {
  const row = await db
    .selectFrom('domain_claims')
    .selectAll()
    .where('name', '=', name)
    .where('proof', 'in', proofs)
    .where('created_at', '>=', since)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { name: row.name, proof: row.proof, tokenHash: row.token_hash, createdAt: row.created_at }
}

/** Deletes claims by their proofs. */
export async function deleteClaims(db: Executor, name: string, proofs: readonly string[]): Promise<void> {
  await db.deleteFrom('domain_claims').where('name', '=', name).where('proof', 'in', proofs).execute()
}

/** Deletes the claims from before that time. */
export async function deleteExpiredClaims(db: Executor, before: number): Promise<void> {
  await db.deleteFrom('domain_claims').where('created_at', '<', before).execute()
}
