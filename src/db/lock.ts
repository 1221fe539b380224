import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { chownLikeFolder } from '../lib/chown-like-folder.ts'
import { StartError } from '../lib/start-error.ts'

/** A locked folder. */
export interface FolderLock {
  release(): void
}

/** Another process has locked the folder. */
export class FolderInUse extends StartError {}

/**
 * Locks `dataDir` against every other process. The lock is the kernel's (SQLite takes it with fcntl on an empty file), so
 * that it always ends with the process; there is no pid file to go stale.
 * @throws {FolderInUse} when another process holds the lock
 * @throws {StartError} when the folder cannot be written
 */
export function lockFolder(dataDir: string): FolderLock {
  const held = `another quirl is using DATA_DIR=${dataDir}: stop it first, or give this one its own folder`
  return lock(dataDir, 'lock', held)
}

/**
 * Locks `dataDir` against other backups, in the same way.
 * @throws {StartError} when another backup is running, or the folder cannot be written
 */
export function lockBackups(dataDir: string): FolderLock {
  return lock(dataDir, 'backup.lock', `another backup of DATA_DIR=${dataDir} is running: wait until it is done`)
}

function lock(dataDir: string, name: string, held: string): FolderLock {
  let holder: DatabaseSync | undefined
  try {
    holder = new DatabaseSync(join(dataDir, name), { timeout: 0 })
    holder.exec('begin exclusive')
    chownLikeFolder(join(dataDir, name))
  } catch (error) {
    holder?.close()
    const reason = (error as Error).message
    if (reason.includes('locked')) throw new FolderInUse(held)
    throw new StartError(`DATA_DIR=${dataDir} cannot be written (${reason}): check its owner and permissions`)
  }
  return { release: () => holder.close() }
}
