import { sql, type Kysely } from '#kysely'
import { StartError } from '../../lib/start-error.ts'
import type { Tables } from '../../db/schema.ts'

/** The schema that a database has while its store is moved: `target` is a copy that is not complete, `source` is what is copied. */
export const MOVING_SCHEMA = 'quirl_moving'

/**
 * Requires that a database is not an incomplete copy, and was not left for another store.
 * @throws {StartError}
 */
export async function requireNotMoving(db: Kysely<Tables>): Promise<void> {
  const find = sql<{ target: boolean; source: boolean }>`select
    to_regclass(${`${MOVING_SCHEMA}.target`}) is not null as target,
    to_regclass(${`${MOVING_SCHEMA}.source`}) is not null as source`
  const found = (await find.execute(db)).rows[0]
  if (found?.target === true) {
    throw new StartError(
      'the database of DATABASE_URL holds a copy that is not complete: run the same "quirl migrate" again until it says that it is done',
    )
  }
  if (found?.source !== true) return
  const moved = await sql<{ moved: boolean }>`select moved from ${sql.raw(MOVING_SCHEMA)}.source`.execute(db)
  if (moved.rows[0]?.moved !== true) return
  throw new StartError(
    `the store of DATABASE_URL was moved into a folder: unset DATABASE_URL, or drop the schema ${MOVING_SCHEMA} to go on here without what changed since`,
  )
}
