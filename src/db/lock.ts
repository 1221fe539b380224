import { join } from 'node:path'
import { lockFile, type FileLock } from '../lib/lock-file.ts'
import { StartError } from '../lib/start-error.ts'
import { isDiskFull } from './sqlite/errors.ts'

/** The file of a data folder whose lock is the folder's. */
export const LOCK = 'lock'

/** A locked folder. */
export type FolderLock = FileLock

/** Another process has locked the folder. */
export class FolderInUse extends StartError {}

/**
 * Locks `dataDir` against every other process.
 * @throws {FolderInUse} when another process holds the lock
 * @throws {StartError} when the folder cannot be written, or its disk is full
 */
export function lockFolder(dataDir: string): FolderLock {
  const held = `another quirl is using DATA_DIR=${dataDir}: stop it first, or give this one its own folder`
  return lock(dataDir, LOCK, held)
}

/**
 * Locks `dataDir` against other backups, in the same way.
 * @throws {StartError} when another backup is running, or the folder cannot be written
 */
export function lockBackups(dataDir: string): FolderLock {
  return lock(dataDir, 'backup.lock', `another backup of DATA_DIR=${dataDir} is running: wait until it is done`)
}

function lock(dataDir: string, name: string, held: string): FileLock {
  try {
    return lockFile(join(dataDir, name))
  } catch (error) {
    const reason = (error as Error).message
    if (reason.includes('locked')) throw new FolderInUse(held)
    if (isDiskFull(error)) throw new StartError(`the disk of DATA_DIR=${dataDir} is full`, { cause: error })
    throw new StartError(`DATA_DIR=${dataDir} cannot be written (${reason}): check its owner and permissions`)
  }
}
