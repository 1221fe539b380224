import type { Kysely } from '#kysely'
import type { PrepareChange } from '../database.ts'
import type { Tables } from '../schema.ts'

/** Changes of a remote store. */
export function createPrepareRemoteChange(db: Kysely<Tables>): PrepareChange {
  return (build) => {
    const query = build(db).compile()
    return async (values) => Number((await db.executeQuery({ ...query, parameters: values })).numAffectedRows ?? 0)
  }
}
