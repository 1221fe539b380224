import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../lib/start-error.ts'

/** A held folder. */
export interface FolderLock {
  release(): void
}

/**
 * Keeps every other process out of `dataDir`. The lock is the kernel's (SQLite takes it with fcntl on an empty file), so
 * that it ends with the process, however that ends; there is no pid file to go stale.
 * @throws {StartError} when another process holds the folder, or it cannot be written
 */
export function lockFolder(dataDir: string): FolderLock {
  const file = join(dataDir, 'lock')
  let holder: DatabaseSync | undefined
  try {
    holder = new DatabaseSync(file, { timeout: 0 })
    holder.exec('begin exclusive')
  } catch (error) {
    holder?.close()
    const reason = (error as Error).message
    if (reason.includes('locked')) {
      throw new StartError(`another quirl is using DATA_DIR=${dataDir}: stop it first, or give this one its own folder`)
    }
    throw new StartError(`DATA_DIR=${dataDir} cannot be written (${reason}): check its owner and permissions`)
  }
  return { release: () => holder.close() }
}
