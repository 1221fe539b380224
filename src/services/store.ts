import type { Database } from '../db/database.ts'
import { openDatabase, requireRestored } from '../db/open.ts'
import type { Sync } from '../db/session.ts'
import { createStoreFaults, type StoreFaults } from '../db/store-faults.ts'
import { requireLinks } from '../scans/instance-check.ts'

/** The store and its faults. */
export interface Store {
  db: Database
  faults: StoreFaults
  /** Called when the store was reopened after a fault: a change that was never answered may be there, or not. */
  onReopened: (() => void)[]
  /** Reads a row, and throws when the store cannot be read. */
  check: () => Promise<void>
  close: () => Promise<void>
}

/** What the store needs of the rest of the program. */
interface StoreNeeds {
  dataDir: string
  now: () => number
  monotonic: () => number
  log: Parameters<typeof createStoreFaults>[1]
  sync: Sync | undefined
  /** Whether this process has served, and stops on request. */
  hasServed: () => boolean
}

/** Opens the store in a folder that has a complete one, or none. */
export async function openStore({ dataDir, now, monotonic, log, sync, hasServed }: StoreNeeds): Promise<Store> {
  requireRestored(dataDir)
  requireLinks(dataDir)
  const faults = createStoreFaults(monotonic, log)
  const listeners: (() => void)[] = []
  const onReopened = () => {
    for (const listener of listeners) listener()
  }
  const db = await openDatabase(dataDir, now, { sync, hasServed, onReopened, onIntegrity: faults.onIntegrity })
  return {
    db,
    faults,
    onReopened: listeners,
    check: async () => void (await db.read.selectFrom('migrations').select('number').limit(1).execute()),
    close: () => db.close(),
  }
}
