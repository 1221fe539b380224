import type { Database } from '../db/database.ts'
import { findIdFrom, findIds, findInstance } from './instance-store.ts'
import { findDeleted } from './purge-store.ts'

/** What others that keep something about links can ask of the store, to know whether they belong to it. */
export interface LinksInstance {
  /** What tells this store from others, for good: copies of a store have the same. */
  id: () => Promise<string>
  /** Whether there is a link. */
  any: () => Promise<boolean>
  /** Which of these are, or were, links of this store. */
  known: (ids: number[]) => Promise<Set<number>>
}

export function instanceOf({ read }: Pick<Database, 'read'>): LinksInstance {
  return {
    id: () => findInstance(read),
    any: async () => (await findIdFrom(read, 0)) !== undefined,
    async known(ids) {
      const known = new Set(ids.length > 0 ? await findIds(read, ids) : [])
      const missing = ids.filter((id) => !known.has(id))
      const deleted = missing.length > 0 ? await findDeleted(read, missing) : []
      return new Set([...known, ...deleted])
    },
  }
}
