import type { Database } from '../db/database.ts'
import { openDatabase, openInFolder, requireOwnStore, requireRestored, type OpenOptions } from '../db/open.ts'
import type { PostgresTimes } from '../nodes/database/pool.ts'
import type { Sync } from '../db/sqlite/writing-session.ts'
import type { SqliteDatabase } from '../db/sqlite/database.ts'
import type { Disk } from '../disk/open.ts'
import { createStoreFaults, type StoreFaults } from '../db/store-faults.ts'
import { requireLinks } from '../scans/sqlite/instance-check.ts'

/** The store and its faults. */
export interface Store {
  db: Database
  faults: StoreFaults
  /** Called when the store was reopened after a fault: a change that was never answered may be there, or not. */
  onReopened: (() => void)[]
  /** Refuses changes, when the store is in the folder of this process. */
  holdChanges: SqliteDatabase['holdChanges'] | undefined
  close: () => Promise<void>
}

/** The settings of the store. */
export interface StoreConfig {
  dataDir: string
  databaseUrl: string | undefined
  databasePool: number
}

/** What the store needs of the rest of the program. */
interface StoreNeeds extends StoreConfig {
  now: () => number
  monotonic: () => number
  log: Parameters<typeof createStoreFaults>[1]
  sync: Sync | undefined
  postgresTimes: PostgresTimes | undefined
  disk: Pick<Disk, 'start' | 'isFull' | 'isSpent' | 'release'>
  /** Whether this process has served, and stops on request. */
  hasServed: () => boolean
}

/** Opens the store that the settings choose. */
export async function openStore(needs: StoreNeeds): Promise<Store> {
  const { now, monotonic, log, sync, hasServed, disk } = needs
  const faults = createStoreFaults(monotonic, log)
  const listeners: (() => void)[] = []
  const onReopened = () => {
    for (const listener of listeners) listener()
  }
  const db = await openChosen(needs, now, {
    sync,
    hasServed,
    onReopened,
    onLocked: disk.start,
    space: disk,
    ...faults.folder,
  })
  return {
    db,
    faults,
    onReopened: listeners,
    holdChanges: 'holdChanges' in db ? db.holdChanges : undefined,
    close: () => db.close(),
  }
}

/** Opens PostgreSQL, or the store in a folder that has a complete one or none. */
async function openChosen(
  { dataDir, databaseUrl: url, databasePool: max, postgresTimes: times }: StoreNeeds,
  now: () => number,
  options: OpenOptions,
): Promise<Database | SqliteDatabase> {
  requireRestored(dataDir)
  if (url === undefined) {
    requireOwnStore(dataDir)
    requireLinks(dataDir)
    return openDatabase(dataDir, now, options)
  }
  // Loaded here, because most services do not need it.
  const { openPostgres } = await import('../nodes/database/database.ts')
  return openInFolder(dataDir, () => openPostgres({ url, max, times }, now), options)
}
