import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../lib/start-error.ts'
import type { Database } from './database.ts'
import { lookOver, noteLeft, type Left } from './left.ts'
import { lockFolder } from './lock.ts'
import { isSqliteDamaged, isSqliteUnavailable, resultCode } from './sqlite-errors.ts'
import { openSqlite, type SqliteOptions } from './sqlite.ts'

/** In a data folder while a backup is being restored into it. */
export const RESTORING = 'restoring'

/** @throws {StartError} when a restore into the folder was interrupted */
export function requireRestored(dataDir: string): void {
  if (existsSync(join(dataDir, RESTORING)))
    throw new StartError(
      `DATA_DIR=${dataDir} holds a restore that was interrupted: remove all that is in it, and restore again`,
    )
}

/** What surrounds the store, and the folder that it is in. */
export interface OpenOptions extends SqliteOptions {
  /** Told what in the folder is not as it was left. */
  onLeft?: (left: Left) => void
  /** Asked at the close. A start that was refused, or a command, leaves what was found changed for the next start to find. */
  hasServed?: () => boolean
}

/**
 * Opens the store in `dataDir`, which is to be closed after everything else that keeps files there, and holds the folder against every other process until it is closed.
 * @throws {StartError} when the folder or the database in it cannot be used
 */
export async function openDatabase(
  dataDir: string,
  now: () => number,
  { onLeft = () => {}, hasServed = () => false, ...options }: OpenOptions = {},
): Promise<Database> {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new StartError(`DATA_DIR=${dataDir} cannot be made: ${(error as Error).message}`, { cause: error })
  }
  const lock = lockFolder(dataDir)
  try {
    requireRestored(dataDir)
    const left = lookOver(dataDir)
    onLeft(left)
    const database = await openSqlite(join(dataDir, 'links.db'), now, { ...options, alone: true })
    return {
      ...database,
      async close() {
        try {
          await database.close()
          noteLeft(dataDir, hasServed() ? {} : left.changed)
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

/** What an operator is told of an error that stopped the start: a database may open and still not be what it was. */
export function explainStart(error: unknown, dataDir: string): unknown {
  if (error instanceof StartError || resultCode(error) === undefined) return error
  const reason = (error as Error).message
  return new StartError(
    `DATA_DIR=${dataDir} cannot be used (${reason}): put a backup in its place by "quirl restore"`,
    { cause: error },
  )
}

/** Whether the error means that the store is away for now, and not that the program is wrong. */
export function isStoreUnavailable(error: unknown): boolean {
  return isSqliteUnavailable(error)
}

/** Whether the error means that what the store holds is damaged, or cannot be read from its disk. */
export function isStoreDamaged(error: unknown): boolean {
  return isSqliteDamaged(error)
}
