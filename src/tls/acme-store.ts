import type { Selectable } from '#kysely'
import type { Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'

/** The account with an authority: its key (PEM), and its URL once it is registered. */
export async function findAccount(
  db: Executor,
  directory: string,
): Promise<{ key: string; url: string | null } | undefined> {
  const row = await db.selectFrom('acme_accounts').selectAll().where('directory', '=', directory).executeTakeFirst()
  return row && { key: row.key, url: row.address }
}

/** Stores the key of a new account, unless another process has stored one. */
export async function insertAccount(db: Executor, directory: string, key: string): Promise<void> {
  await db
    .insertInto('acme_accounts')
    .values({ directory, key, address: null })
    .onConflict((conflict) => conflict.column('directory').doNothing())
    .execute()
}

/** Replaces the URL of an account, if it is still `before`. */
export async function updateAccount(
  db: Executor,
  directory: string,
  before: string | null,
  url: string | null,
): Promise<void> {
  await db
    .updateTable('acme_accounts')
    .set({ address: url })
    .where('directory', '=', directory)
    .where('address', before === null ? 'is' : '=', before)
    .execute()
}

/** Stores the response to a challenge, and purges old ones. */
export async function insertChallenge(
  db: Executor,
  challenge: Selectable<Tables['acme_challenges']>,
  purgeBefore: number,
): Promise<void> {
  await db.deleteFrom('acme_challenges').where('created_at', '<', purgeBefore).execute()
  await db
    .insertInto('acme_challenges')
    .values(challenge)
    .onConflict((conflict) => conflict.column('token').doUpdateSet({ answer: challenge.answer }))
    .execute()
}

export async function findChallenge(db: Executor, token: string): Promise<string | undefined> {
  const row = await db.selectFrom('acme_challenges').select('answer').where('token', '=', token).executeTakeFirst()
  return row?.answer
}

export async function deleteChallenge(db: Executor, token: string): Promise<void> {
  await db.deleteFrom('acme_challenges').where('token', '=', token).execute()
}
