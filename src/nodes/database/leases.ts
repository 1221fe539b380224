import { sql } from '#kysely'
import type { Database, LeaseStore } from '../../db/database.ts'

/** Leases of all processes on the store. They expire by its clock, because those of nodes may differ. */
export function createSharedLeases({ write, time }: Pick<Database, 'write' | 'time'>): LeaseStore {
  return {
    async take(name, holder, lengthMs) {
      const now = time()
      const row = { holder, expires_at: sql<number>`${now} + cast(${lengthMs} as bigint)` }
      const result = await write
        .insertInto('leases')
        .values({ name, ...row })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet(row)
            .where((each) => each.or([each('leases.expires_at', '<=', now), each('leases.holder', '=', holder)])),
        )
        .executeTakeFirst()
      return result.numInsertedOrUpdatedRows === 1n
    },
    async holds(transaction, name, holder) {
      const held = transaction.selectFrom('leases').select('name').where('name', '=', name).where('holder', '=', holder)
      return (await held.executeTakeFirst()) !== undefined
    },
    async free(name, holder) {
      await write.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
    },
  }
}
