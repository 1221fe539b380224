import type { Database } from '../db/database.ts'
import type { PostgresTimes } from '../nodes/database/pool.ts'
import type { Disk } from '../disk/open.ts'
import type { OpenWarehouse } from '../scans/warehouse.ts'
import { sqliteWarehouse } from '../scans/sqlite/open.ts'
import type { StoreConfig } from './store.ts'

/** What the warehouse needs of the rest of the program. */
interface WarehouseNeeds {
  db: Database
  now: () => number
  log: Record<'warn', (details: object, text: string) => void>
  times: PostgresTimes | undefined
  disk: Pick<Disk, 'memory'>
}

interface WarehouseConfig extends Pick<StoreConfig, 'dataDir' | 'databaseUrl'> {
  adoptFrom: string | undefined
  limitRawScans: number
}

/** Chooses where scans are stored: in the folder, or where the links are. */
export async function chooseWarehouse(
  { dataDir, databaseUrl: url, adoptFrom, limitRawScans: perHour }: WarehouseConfig,
  { disk, ...needs }: WarehouseNeeds,
): Promise<OpenWarehouse> {
  const bound = { perHour, disk: disk.memory }
  if (url === undefined) return sqliteWarehouse(dataDir, bound)
  // Loaded here, because most services do not need it.
  const { postgresWarehouse } = await import('../nodes/scans/open.ts')
  return postgresWarehouse({ ...needs, dataDir, url, adoptFrom, bound })
}
