import { join } from 'node:path'
import { requireMatchingScans, unusable } from './instance-check.ts'
import type { RawBoundOptions } from '../folding/raw-bound.ts'
import type { OpenWarehouse } from '../warehouse.ts'
import { openVisitorKeys } from '../describing/visitors.ts'
import type { ThreadOptions } from './warehouse-thread.ts'

/** Scans in `scans.db` of a data folder, and the keys of visitors in files beside it. */
export function sqliteWarehouse(dataDir: string, bound: RawBoundOptions = {}): OpenWarehouse {
  const [warehouse, journal, visitors] = [
    join(dataDir, 'scans.db'),
    join(dataDir, 'journal'),
    join(dataDir, 'visitors'),
  ]
  return async (links, log) => {
    const exist = await requireMatchingScans(dataDir, links)
    if (!exist && (await links.any())) log.scansMissing()
    const data: ThreadOptions = { warehouse, journal, visitors, bound, instance: await links.id() }
    return {
      keys: openVisitorKeys(visitors),
      thread: { module: new URL('./warehouse-thread.ts', import.meta.url), data },
      isShared: false,
      unusable: (error) => unusable(warehouse, error),
      close: () => {},
    }
  }
}
