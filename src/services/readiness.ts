import type { Abuse } from '../abuse/open.ts'
import type { Disk } from '../disk/open.ts'
import type { Draining } from '../lib/draining.ts'
import type { Scans } from '../scans/open.ts'
import type { Store } from './store.ts'

/** @returns a function that returns why the service is not ready for requests; undefined when it is */
export function createNotReady(
  { db, faults }: Pick<Store, 'db' | 'faults'>,
  draining: Pick<Draining, 'begun'>,
  disk: Pick<Disk, 'fault'>,
  scans: Pick<Scans, 'fault'>,
  abuse: Pick<Abuse, 'notReady'>,
): () => Promise<string | undefined> {
  return async () => {
    if (draining.begun()) return 'the service is stopping'
    const fault = disk.fault() ?? scans.fault() ?? faults.recent(db.doubtMs)
    if (fault !== undefined) return fault
    await db.check()
    return abuse.notReady()
  }
}
