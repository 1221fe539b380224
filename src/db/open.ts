import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../lib/start-error.ts'
import type { Database } from './database.ts'
import { checkIntegrity, recordIntegrity, type IntegrityReport } from './sqlite/integrity.ts'
import { lockFolder, type FolderLock } from './lock.ts'
import { isDiskFull, isSqliteDamaged, isSqliteUnavailable, resultCode } from './sqlite/errors.ts'
import { DiskFull } from './unavailable.ts'
import { openSqlite, type SqliteDatabase, type SqliteOptions } from './sqlite/database.ts'

/** A data folder has this file while a backup is being restored into it. */
export const RESTORING = 'restoring'

/** @throws {StartError} when a restore into the folder was interrupted */
export function requireRestored(dataDir: string): void {
  if (existsSync(join(dataDir, RESTORING)))
    throw new StartError(
      `DATA_DIR=${dataDir} holds a restore that was interrupted: remove all that is in it, and restore again`,
    )
}

/** A data folder has this folder while a store is being moved into it, and this file after its store was moved away. */
export const MOVING = 'moving'
export const MOVED = 'moved'

/** @throws {StartError} when the store of a folder is not complete yet, or was moved to PostgreSQL */
export function requireOwnStore(dataDir: string): void {
  if (existsSync(join(dataDir, MOVING))) {
    throw new StartError(
      `DATA_DIR=${dataDir} holds a copy that is not complete: run the same "quirl migrate" again until it says that it is done`,
    )
  }
  if (existsSync(join(dataDir, MOVED))) {
    throw new StartError(
      `the links of DATA_DIR=${dataDir} were moved to PostgreSQL: set DATABASE_URL, or delete the file "${MOVED}" to go on here without what changed since`,
    )
  }
}

/** Options of a folder of data. */
export interface FolderOptions {
  /** Called once the folder is locked, before anything in it is opened. */
  onLocked?: (() => void) | undefined
  /** Called with the differences from what the last process left. */
  onIntegrity?: (report: IntegrityReport) => void
  /** Called with the files of the folder's lock that were removed, once it was taken again; with an error each time that it could not be. */
  onUnlocked?: (removed: string[], error?: unknown) => void
  /** Called at the close: unless the service has served, the next start reports changed files again. */
  hasServed?: () => boolean
}

/** Options of the store in SQLite and its folder. */
export interface OpenOptions extends SqliteOptions, FolderOptions {}

/** The same as `openInFolder`, with the store in the folder. */
export function openDatabase(dataDir: string, now: () => number, options: OpenOptions = {}): Promise<SqliteDatabase> {
  return openInFolder(dataDir, () => openSqlite(join(dataDir, 'links.db'), now, { ...options, alone: true }), options)
}

/**
 * Opens a store, and locks the folder of the process's own data against other processes until it is closed. Everything
 * else that has files there must be closed before.
 * @throws {StartError} when the folder or the database cannot be used
 */
export async function openInFolder<D extends Database>(
  dataDir: string,
  open: () => Promise<D>,
  { onLocked = () => {}, onIntegrity = () => {}, onUnlocked = () => {}, hasServed = () => false }: FolderOptions,
): Promise<D> {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartError(`DATA_DIR=${dataDir} cannot be created: ${(error as Error).message}`, { cause: error })
  }
  const lock = keepLocked(lockFolder(dataDir), onUnlocked)
  try {
    requireRestored(dataDir)
    onLocked()
    const report = checkIntegrity(dataDir)
    onIntegrity(report)
    const database = await open()
    return {
      ...database,
      async close() {
        try {
          await database.close()
          recordIntegrity(dataDir, hasServed() ? {} : report.changed)
        } finally {
          lock.release()
        }
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

const RENEW_MS = 1000

/** Takes the lock again each time that another program has removed a file of it. */
function keepLocked(
  lock: FolderLock,
  onUnlocked: NonNullable<FolderOptions['onUnlocked']>,
): Pick<FolderLock, 'release'> {
  let hasFailed = false
  const timer = setInterval(() => {
    try {
      const removed = lock.renew()
      if (removed.length > 0 || hasFailed) onUnlocked(removed)
      hasFailed = false
    } catch (error) {
      hasFailed = true
      onUnlocked([], error)
    }
  }, RENEW_MS).unref()
  return {
    release() {
      clearInterval(timer)
      lock.release()
    },
  }
}

/** The error for the operator when the start fails: a database may open and still be damaged. */
export function toStartError(error: unknown, dataDir: string): unknown {
  // A folder with a complete store starts all the same.
  if (error instanceof DiskFull || (isDiskFull(error) && !(error instanceof StartError)))
    return new StartError(`the disk of DATA_DIR=${dataDir} is full: make room, or choose a larger disk`, {
      cause: error,
    })
  if (error instanceof StartError || resultCode(error) === undefined) return error
  const reason = (error as Error).message
  return new StartError(
    `DATA_DIR=${dataDir} cannot be used (${reason}): put a backup in its place by "quirl restore"`,
    { cause: error },
  )
}

/** Whether the error means that the store is unavailable for now, not that the program has a bug. */
export function isStoreUnavailable(error: unknown): boolean {
  return isSqliteUnavailable(error)
}

/** Whether the error means that the store is damaged or cannot be read. */
export function isStoreDamaged(error: unknown): boolean {
  return isSqliteDamaged(error)
}
