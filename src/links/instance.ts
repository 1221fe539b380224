import type { Database } from '../db/database.ts'
import { findIdFrom, findIds, findInstance } from './instance-store.ts'
import { findDeleted } from './purge-store.ts'

/** Lets features that store data about links elsewhere check that the data belongs to this store. */
export interface LinksInstance {
  /** The permanent ID of this store; its copies share it. */
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
