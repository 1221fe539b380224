import type { Database } from '../db/database.ts'
import type { PostgresTimes } from '../nodes/database/pool.ts'
import type { Disk } from '../disk/open.ts'
import type { OpenScanStore } from '../scans/scan-store.ts'
import { sqliteScans } from '../scans/sqlite/scan-store.ts'
import type { StoreConfig } from './store.ts'

/** What the store of scans needs of the rest of the program. */
interface ScanStoreNeeds {
  db: Database
  now: () => number
  log: Record<'warn', (details: object, text: string) => void>
  times: PostgresTimes | undefined
  disk: Pick<Disk, 'memory'>
}

interface ScanStoreConfig extends Pick<StoreConfig, 'dataDir' | 'databaseUrl'> {
  adoptFrom: string | undefined
  limitRawScans: number
}

/** Chooses where scans are stored: in the folder, or where the links are. */
export async function chooseScanStore(
  { dataDir, databaseUrl: url, adoptFrom, limitRawScans: perHour }: ScanStoreConfig,
  { disk, ...needs }: ScanStoreNeeds,
): Promise<OpenScanStore> {
  const bound = { perHour, disk: disk.memory }
  if (url === undefined) return sqliteScans(dataDir, bound)
  // Loaded here, because most services do not need it.
  const { postgresScans } = await import('../nodes/scans/scan-store.ts')
  return postgresScans({ ...needs, dataDir, url, adoptFrom, bound })
}
