import { StartError } from '../../lib/start-error.ts'
import { isUnavailable } from '../unavailable.ts'

// Primary result codes of https://sqlite.org/rescode.html
export const SQLITE_BUSY = 5
export const SQLITE_READONLY = 8
export const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_CANTOPEN = 14
const SQLITE_NOTADB = 26
const SQLITE_READONLY_DBMOVED = SQLITE_READONLY | (4 << 8)

// Of the disk, and of the user's quota on it.
const FULL = new Set(['ENOSPC', 'EDQUOT'])

/** SQLite's primary result code of an error, if it is one of SQLite's. */
export function resultCode(error: unknown): number | undefined {
  const extended = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  return typeof extended === 'number' ? extended & 0xff : undefined
}

/** Whether the error means that the disk or the file is unavailable for now, not that the program has a bug. */
export function isSqliteUnavailable(error: unknown): boolean {
  if (isUnavailable(error)) return true
  const code = resultCode(error) ?? 0
  return [SQLITE_BUSY, SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN].includes(code)
}

/** Whether the error means that the file is damaged or is no database. */
export function isSqliteDamaged(error: unknown): boolean {
  const code = resultCode(error)
  return code === SQLITE_NOTADB || code === SQLITE_CORRUPT
}

/** Whether the error means that another program has moved, replaced or removed the open file; SQLite does not tell with a write-ahead log. */
export function isSqliteReplaced(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_READONLY_DBMOVED
}

/** Whether the error, or what caused it, means that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isFull = resultCode(error) === SQLITE_FULL || ('code' in error && FULL.has(String(error.code)))
  return isFull || isDiskFull(error.cause)
}

/** The error for the operator when `file` cannot be opened. */
export function toFileError(error: unknown, file: string): unknown {
  const reason = error instanceof Error ? error.message : String(error)
  if (isSqliteDamaged(error)) {
    return new StartError(
      `${file} is damaged or not a quirl database (${reason}): put a backup in its place by "quirl restore"`,
    )
  }
  if (isDiskFull(error)) return new StartError(`${file} cannot be written: its disk is full`, { cause: error })
  if (isSqliteUnavailable(error) || (error instanceof Error && 'syscall' in error)) {
    return new StartError(`${file} cannot be written (${reason}): check its owner and permissions`)
  }
  return error
}
