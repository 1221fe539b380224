import { DatabaseSync } from 'node:sqlite'
import { chownLikeFolder } from './chown-like-folder.ts'
import { StartError } from './start-error.ts'

const WAIT_MS = 10_000

/**
 * Runs `work`, which must be short, while no other process does so with the same file. The lock is the kernel's (SQLite takes
 * it with fcntl on an empty file), so that it ends with the process at the latest.
 * @throws {StartError} when another process has the lock for ten seconds, or the file cannot be written
 */
export function whileLocked<T>(file: string, work: () => T): T {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(file, { timeout: WAIT_MS })
    lock.exec('begin exclusive')
    chownLikeFolder(file)
  } catch (error) {
    lock?.close()
    throw new StartError(`${file} cannot be locked: ${(error as Error).message}`, { cause: error })
  }
  try {
    return work()
  } finally {
    lock.close()
  }
}
