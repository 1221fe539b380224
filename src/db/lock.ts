import { join } from 'node:path'
import { lockFile, type FileLock } from '../lib/lock-file.ts'
import { nameFiles } from '../lib/named-files.ts'
import { StartError } from '../lib/start-error.ts'
import { isDiskFull } from './sqlite/errors.ts'

/**
 * The files of a data folder whose locks are the folder's. Versions before the second know only the first, which people
 * remove who take it for one that a dead process left behind: the second, which is hidden, still refuses others then.
 */
export const LOCKS = ['lock', '.lock']

/** A locked folder. */
export interface FolderLock extends FileLock {
  /**
   * Takes the lock again when one of its files was removed or replaced.
   * @returns the files that were
   * @throws {FolderInUse} when another process has taken it meanwhile
   */
  renew: () => string[]
}

/** Another process has locked the folder. */
export class FolderInUse extends StartError {}

/**
 * Locks `dataDir` against every other process.
 * @throws {FolderInUse} when another process holds the lock
 * @throws {StartError} when the folder cannot be written, or its disk is full
 */
export function lockFolder(dataDir: string): FolderLock {
  const held = `another quirl is using DATA_DIR=${dataDir}: stop it first, or give this one its own folder`
  const locks = new Map<string, NamedLock>()
  const release = () => {
    for (const each of locks.values()) each.release()
  }
  try {
    for (const name of LOCKS) locks.set(name, lockByName(dataDir, name, held))
  } catch (error) {
    release()
    throw error
  }
  return { release, renew: () => LOCKS.filter((name) => locks.get(name)?.renew()) }
}

interface NamedLock extends FileLock {
  /** @returns whether the lock had to be taken again */
  renew: () => boolean
}

function lockByName(dataDir: string, name: string, held: string): NamedLock {
  const take = () => {
    const taken = lock(dataDir, name, held)
    return { taken, file: nameFiles([join(dataDir, name)]) }
  }
  let current = take()
  return {
    release: () => current.taken.release(),
    renew() {
      if (current.file.lost().length === 0) return false
      const former = current
      current = take()
      former.taken.release()
      return true
    },
  }
}

/**
 * Locks `dataDir` against other backups, in the same way.
 * @throws {StartError} when another backup is running, or the folder cannot be written
 */
export function lockBackups(dataDir: string): FileLock {
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
