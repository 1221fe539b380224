import type { Database } from '../db/database.ts'
import { openLinkIds, type LinkIds } from './ids.ts'
import { findIds } from './instance-store.ts'
import { instanceOf, type LinksInstance } from './instance.ts'
import { deletePurges, findPurges } from './purge-store.ts'

/** The links of a store by their numbers, for those who keep something about links elsewhere. */
export interface LinkNumbers extends LinkIds, LinksInstance {
  /** Which of these are links. */
  existing: (ids: number[]) => Promise<Set<number>>
  /** The deleted links of which something may still be kept elsewhere. */
  toPurge: () => Promise<number[]>
  /** Nothing is kept any more of these deleted links. */
  purged: (ids: number[]) => Promise<void>
}

export async function openLinkNumbers(db: Database): Promise<LinkNumbers> {
  return {
    ...(await openLinkIds(db)),
    ...instanceOf(db),
    existing: async (ids) => new Set(await findIds(db.read, ids)),
    toPurge: () => findPurges(db.read),
    purged: (ids) => deletePurges(db.write, ids),
  }
}
