import { join } from 'node:path'
import type { Database } from '../../db/database.ts'
import { usualTimes, type PostgresTimes } from '../../nodes/database/pool.ts'
import { openPostgresSession } from '../../nodes/database/session.ts'
import { toPostgresStartError } from '../../nodes/database/errors.ts'
import { journalFolder } from '../journal/journal-folder.ts'
import type { SharedBound } from '../shared-bound.ts'
import type { OpenScanStore } from '../scan-store.ts'
import { createVisitorKeys } from '../describing/visitors.ts'
import { migrateScans } from './migrations.ts'
import { registerFolder } from './journal-positions.ts'
import { openSharedSalts } from './salts.ts'
import type { SharedThreadOptions } from './shared-warehouse-thread.ts'

export interface SharedScansNeeds {
  /** Holds the journal of this node. */
  dataDir: string
  url: string
  db: Database
  now: () => number
  log: Record<'warn', (details: object, text: string) => void>
  times: PostgresTimes | undefined
  /** Holds the folders of all nodes, where they share one. */
  adoptFrom?: string | undefined
  bound?: SharedBound
}

/** Scans, and the keys of visitors, in the PostgreSQL that has the links. */
export function sharedScans(needs: SharedScansNeeds): OpenScanStore {
  const { dataDir, url, db, now, log, times = usualTimes, adoptFrom, bound = {} } = needs
  return async () => {
    try {
      const journal = journalFolder(join(dataDir, 'journal'))
      const session = openPostgresSession({ url, max: 1, isPatient: true })
      try {
        await migrateScans(session)
        await registerFolder(session.query, journal.id)
      } finally {
        await session.close()
      }
      const onError = (err: unknown) =>
        log.warn({ err }, 'the salts of visitors could not be fetched; the next try follows')
      const salts = await openSharedSalts(db, now, onError)
      const data: SharedThreadOptions = { url, journal, adoptFrom, bound, times }
      return {
        keys: createVisitorKeys(salts.of),
        thread: { module: new URL('./shared-warehouse-thread.ts', import.meta.url), data },
        isShared: true,
        unusable: toPostgresStartError,
        close: salts.close,
      }
    } catch (error) {
      throw toPostgresStartError(error)
    }
  }
}
