import type { DiskFloor } from '../disk/low.ts'
import { openDisk, type Disk, type DiskNeeds } from '../disk/open.ts'

/** The settings of the disk. */
export interface DiskSettings {
  dataDir: string
  databaseUrl: string | undefined
  diskFloor: DiskFloor
}

/** Opens the watch of the disk of DATA_DIR. */
export function openConfiguredDisk(
  { dataDir, databaseUrl, diskFloor: floor }: DiskSettings,
  needs: Omit<DiskNeeds, 'dataDir' | 'floor' | 'hasStore'>,
): Disk {
  return openDisk({ ...needs, dataDir, floor, hasStore: databaseUrl === undefined })
}
