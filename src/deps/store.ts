import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { openDatabase, requireRestored } from '../db/open.ts'
import type { Sync } from '../db/session.ts'
import { createStoreFaults, type StoreFaults } from '../db/store-faults.ts'
import { requireLinks } from '../scans/belonging.ts'

/** The store, and what is known of its faults. */
export interface Store {
  db: Database
  faults: StoreFaults
  /** Called after a fault, when the store is open again: what was changed but never answered may be there, or not. */
  onReopened: (() => void)[]
}

/** What the store needs of its surroundings. */
interface StoreNeeds {
  now: () => number
  monotonic: () => number
  log: Parameters<typeof createStoreFaults>[1]
  sync?: Sync | undefined
}

/**
 * Opens the store in a folder that holds a whole one, or none.
 * @param hasServed whether this process has been told to stop, and its start was not refused
 */
export async function openStore(
  { dataDir }: Pick<Config, 'dataDir'>,
  { now, monotonic, log, sync }: StoreNeeds,
  hasServed: () => boolean,
): Promise<Store> {
  requireRestored(dataDir)
  requireLinks(dataDir)
  const faults = createStoreFaults(monotonic, log)
  const listeners: (() => void)[] = []
  const onReopened = () => {
    for (const listener of listeners) listener()
  }
  const db = await openDatabase(dataDir, now, { sync, hasServed, onReopened, onLeft: faults.onLeft })
  return { db, faults, onReopened: listeners }
}
