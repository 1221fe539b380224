import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CallOperation } from '../operator/client.ts'
import { lockFolder, type FolderLock } from '../db/lock.ts'
import { MOVED, MOVING, requireRestored } from '../db/open.ts'
import { StartError } from '../lib/start-error.ts'
import { syncPath } from '../lib/sync-path.ts'
import { journalFolder } from '../scans/journal/journal-folder.ts'
import { keepHold } from './hold.ts'
import type { Source } from './source.ts'
import { openSqliteStore } from './sqlite-store.ts'
import { readIdentity } from './sqlite-identity-store.ts'

const movedText =
  'The links of this folder were moved to PostgreSQL. Delete this file to go on here, without what changed since.\n'

/**
 * Opens the store of a data folder, and locks the folder unless a service is running on it.
 * @param call calls an operation of that service
 * @throws {StartError} when there is no store, or it is not of this version
 */
export function openFolderSource(dataDir: string, call: CallOperation): Source {
  const files = { links: join(dataDir, 'links.db'), scans: join(dataDir, 'scans.db') }
  if (!existsSync(files.links))
    throw new StartError(`DATA_DIR=${dataDir} has no links.db: name the folder of quirl's data with --from`)
  if (!existsSync(files.scans))
    throw new StartError(`DATA_DIR=${dataDir} has no scans.db: start and stop quirl on it, which creates it`)
  requireRestored(dataDir)
  if (existsSync(join(dataDir, MOVING))) throw new StartError(`DATA_DIR=${dataDir} has a copy that is not complete`)
  const lock = tryLock(dataDir)
  try {
    const instance = readIdentity(files)
    const store = openSqliteStore(files, false)
    const hold = createHold(call)
    const isInUse = lock === undefined
    return {
      store,
      instance,
      journal: journalFolder(join(dataDir, 'journal')).id,
      isInUse,
      lost: hold.lost,
      holdScans: () => hold.scans(),
      holdChanges: hold.changes,
      async finish() {
        if (isInUse) await hold.finish()
        writeFileSync(join(dataDir, MOVED), movedText, { mode: 0o600, flush: true })
        syncPath(dataDir)
      },
      async close() {
        await hold.end()
        await store.close()
        lock?.release()
      },
    }
  } catch (error) {
    lock?.release()
    throw error
  }
}

/** Undefined when a service is running on the folder. */
function tryLock(dataDir: string): FolderLock | undefined {
  try {
    return lockFolder(dataDir)
  } catch (error) {
    if (error instanceof StartError && error.message.startsWith('another quirl')) return undefined
    throw error
  }
}

/** Holds the service by its operation `move`; see `operator.ts`. */
function createHold(call: CallOperation) {
  let token: string | null = null
  const lost = new AbortController()
  const step = async (name: string) => {
    lost.signal.throwIfAborted()
    const result = (await call('move', { step: name, token }, lost.signal)) as { token: string | null }
    token = result.token
  }
  const kept = keepHold(
    () => step('renew'),
    (reason) => lost.abort(reason),
  )
  return {
    lost: lost.signal,
    async scans() {
      await step('scans')
      await kept.begin()
    },
    changes: () => step('changes'),
    async finish() {
      kept.end()
      await step('finish')
    },
    /** A hold that was lost ends by itself. */
    async end() {
      kept.end()
      if (token !== null) await step('release').catch(() => {})
    },
  }
}
