import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { chownLikeFolder } from './chown-like-folder.ts'
import { StartError } from './start-error.ts'

const MODE = 0o600

/** A locked file. */
export interface FileLock {
  release: () => void
}

/**
 * Locks a file against every other process. The lock is the kernel's (SQLite takes it with fcntl on an empty file), so that
 * it always ends with the process; there is no pid file to go stale.
 * @param waitMs how long to wait for a process that has the lock
 * @throws {Error} SQLite's, whose message has "locked" when another process has the lock
 */
export function lockFile(file: string, waitMs = 0): FileLock {
  keepToUser(file)
  const holder = new DatabaseSync(file, { timeout: waitMs })
  try {
    // A transaction on an empty file begins with a page of it, whose journal would not find room on a full disk.
    holder.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    holder.close()
    throw error
  }
  chownLikeFolder(file)
  return { release: () => holder.close() }
}

/** Whoever could read the file could hold the lock. SQLite would create it for everybody, and so did earlier versions. */
function keepToUser(file: string): void {
  try {
    // Not of a file that exists: closing it would release the locks that this process has on it.
    closeSync(openSync(file, 'wx', MODE))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') restrict(file)
    // SQLite meets any other error again.
  }
}

function restrict(file: string): void {
  try {
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, MODE)
  } catch {
    // It is another user's.
  }
}

const WAIT_MS = 10_000

/**
 * Runs `work`, which must be short, while no other process does so with the same file.
 * @throws {StartError} when another process has the lock for ten seconds, or the file cannot be written
 */
export function whileLocked<T>(file: string, work: () => T): T {
  const lock = lockOrExplain(file)
  try {
    return work()
  } finally {
    lock.release()
  }
}

function lockOrExplain(file: string): FileLock {
  try {
    return lockFile(file, WAIT_MS)
  } catch (error) {
    throw new StartError(`${file} cannot be locked: ${(error as Error).message}`, { cause: error })
  }
}
