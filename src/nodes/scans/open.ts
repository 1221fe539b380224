import { join } from 'node:path'
import type { Database } from '../../db/database.ts'
import { usualTimes, type PostgresTimes } from '../database/pool.ts'
import { openPostgresSession } from '../database/session.ts'
import { toPostgresStartError } from '../database/errors.ts'
import { journalFolder } from '../../scans/journal/journal-folder.ts'
import type { RawBoundOptions } from '../../scans/folding/raw-bound.ts'
import type { OpenWarehouse } from '../../scans/warehouse.ts'
import { createVisitorKeys } from '../../scans/describing/visitors.ts'
import { migrateScans } from './migrations.ts'
import { registerFolder } from './journal-positions.ts'
import { openVisitorSalts } from './salts.ts'
import type { PostgresThreadOptions } from './postgres-warehouse-thread.ts'

export interface PostgresWarehouseNeeds {
  /** Holds the journal of this node. */
  dataDir: string
  url: string
  db: Database
  now: () => number
  log: Record<'warn', (details: object, text: string) => void>
  times: PostgresTimes | undefined
  /** Holds the folders of all nodes, where they share one. */
  adoptFrom?: string | undefined
  bound?: RawBoundOptions
}

/** Scans, and the keys of visitors, in the PostgreSQL that has the links. */
export function postgresWarehouse(needs: PostgresWarehouseNeeds): OpenWarehouse {
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
      const salts = await openVisitorSalts(db, now, onError)
      const data: PostgresThreadOptions = { url, journal, adoptFrom, bound, times }
      return {
        keys: createVisitorKeys(salts.of),
        thread: { module: new URL('./postgres-warehouse-thread.ts', import.meta.url), data },
        isShared: true,
        unusable: toPostgresStartError,
        close: salts.close,
      }
    } catch (error) {
      throw toPostgresStartError(error)
    }
  }
}
