import type { Abuse } from '../abuse/open.ts'
import type { Disk } from '../disk/open.ts'
import type { Draining } from '../lib/draining.ts'
import { shareRun } from '../lib/share-runs.ts'
import type { Scans } from '../scans/open.ts'
import type { Store } from './store.ts'

/**
 * Anyone may ask, as often as he likes: all who do at a time share one question to the store, so that they take its connections
 * from nobody.
 * @returns a function that returns why the service is not ready for requests; undefined when it is
 */
export function createNotReady(
  { db, faults }: { db: Pick<Store['db'], 'check' | 'doubtMs'>; faults: Pick<Store['faults'], 'recent'> },
  draining: Pick<Draining, 'begun'>,
  disk: Pick<Disk, 'fault'>,
  scans: Pick<Scans, 'fault'>,
  abuse: Pick<Abuse, 'notReady'>,
): () => Promise<string | undefined> {
  const check = shareRun(db.check)
  return async () => {
    if (draining.begun()) return 'the service is stopping'
    const fault = disk.fault() ?? scans.fault() ?? faults.recent(db.doubtMs)
    if (fault !== undefined) return fault
    await check()
    return abuse.notReady()
  }
}
