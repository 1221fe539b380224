import type { Database } from '../db/database.ts'
import { openLinkIds, type LinkIds } from './ids.ts'
import { findIds } from './instance-store.ts'
import { instanceOf, type LinksInstance } from './instance.ts'
import { deletePurges, findPurges } from './purge-store.ts'

/** The IDs of links, for features that store data about links elsewhere. */
export interface LinkRegistry extends LinkIds, LinksInstance {
  /** Which of these IDs belong to links. */
  existing: (ids: number[]) => Promise<Set<number>>
  /** The deleted links whose data elsewhere may not be purged yet. */
  toPurge: () => Promise<number[]>
  /** Records that the data of these deleted links is purged. */
  purged: (ids: number[]) => Promise<void>
}

export async function openLinkRegistry(db: Database): Promise<LinkRegistry> {
  return {
    ...(await openLinkIds(db)),
    ...instanceOf(db),
    existing: async (ids) => new Set(await findIds(db.read, ids)),
    toPurge: () => findPurges(db.read),
    purged: (ids) => deletePurges(db.write, ids),
  }
}
