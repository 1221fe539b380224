import type { Kysely } from '#kysely'
import type { PrepareChange } from '../database.ts'
import type { Tables } from '../schema.ts'
import { isConflict } from './errors.ts'
import { retryConflicts } from './retry-conflicts.ts'

/** Changes of a remote store. */
export function createPrepareRemoteChange(db: Kysely<Tables>): PrepareChange {
  return (build) => {
    const query = build(db).compile()
    return async (values) => {
      const result = await retryConflicts(() => db.executeQuery({ ...query, parameters: values }), isConflict)
      return Number(result.numAffectedRows ?? 0)
    }
  }
}
