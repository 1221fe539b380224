import type { Abuse } from '../abuse/open.ts'
import type { Database } from '../db/database.ts'
import type { StoreFaults } from '../db/store-faults.ts'
import type { Draining } from '../lib/draining.ts'
import type { Recorder } from '../scans/recorder.ts'

/** @returns why the service should get no requests, if there is a reason */
export function createNotReady(
  db: Database,
  faults: StoreFaults,
  draining: Draining,
  recorder: Recorder,
  abuse: Abuse,
): () => Promise<string | undefined> {
  return async () => {
    if (draining.begun()) return 'the service is stopping'
    const fault = recorder.fault() ?? faults.recent()
    if (fault !== undefined) return fault
    await db.read.selectFrom('migrations').select('number').limit(1).execute()
    return abuse.notReady()
  }
}
