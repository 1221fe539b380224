import { existsSync, mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { faultsOf, openToRead } from '../db/sqlite/copy.ts'
import { LOCKS, lockFolder } from '../db/lock.ts'
import { requireRestored, RESTORING } from '../db/open.ts'
import { isDiskFull } from '../db/sqlite/errors.ts'
import { StartError } from '../lib/start-error.ts'
import { syncPath } from '../lib/sync-path.ts'
import { isInside, listFolder, checksumOf } from './files.ts'
import { JOURNAL, LINKS, readManifest, SCANS, type BackupSummary, type Manifest } from './manifest.ts'

export interface RestoreOptions {
  folder: string
  dataDir: string
  /** Called with the next step. */
  onStep: (step: string) => void
}

/**
 * Verifies a backup and copies it into an empty or new data folder: completely and synced, or not at all.
 * @throws {StartError} when it cannot be restored
 */
export function restore(options: RestoreOptions): BackupSummary {
  const { folder, onStep } = options
  const dataDir = resolve(options.dataDir)
  requireEmpty(dataDir)
  if (isInside(dataDir, folder))
    throw new StartError(
      `DATA_DIR=${dataDir} is inside ${folder}, and nothing may be added to a backup: name another folder`,
    )
  const manifest = readManifest(folder, (path) => onStep(`reading ${path}`))
  for (const name of [LINKS, SCANS]) {
    onStep(`checking ${name}`)
    requireSound(folder, name)
  }
  const isNew = !existsSync(dataDir)
  const restoring = join(dataDir, RESTORING)
  try {
    makeFolders(dataDir, restoring)
    copyLocked({ ...options, dataDir }, manifest)
  } catch (error) {
    // While the restore is unfinished, no service starts here, which would hold the file.
    if (isDiskFull(error)) for (const name of LOCKS) rmSync(join(dataDir, name), { force: true })
    rmSync(restoring, { recursive: true, force: true })
    if (isNew && listFolder(dataDir)?.length === 0) rmdirSync(dataDir)
    if (isDiskFull(error)) throw new StartError(`the disk of DATA_DIR=${dataDir} is full: nothing was restored`)
    throw error
  }
  return manifest.summary
}

function makeFolders(dataDir: string, restoring: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    mkdirSync(restoring, { mode: 0o700 })
  } catch (error) {
    throw new StartError(`DATA_DIR=${dataDir} cannot be written: ${(error as Error).message}`, { cause: error })
  }
}

function requireEmpty(dataDir: string): void {
  requireRestored(dataDir)
  const names = listFolder(dataDir) ?? []
  // When a service runs on it, that is the better message.
  if (names.some((name) => LOCKS.includes(name))) lockFolder(dataDir).release()
  if (names.length > 0)
    throw new StartError(`DATA_DIR=${dataDir} is not empty: move it away, or name another folder with --data-dir`)
}

function requireSound(folder: string, name: string): void {
  const db = openToRead(join(folder, name))
  try {
    const [fault] = faultsOf(db)
    if (fault !== undefined)
      throw new StartError(`${folder} has a ${name} that was damaged before it was copied: ${fault}`)
  } finally {
    db.close()
  }
}

function copyLocked({ folder, dataDir, onStep }: RestoreOptions, { summary, checksums }: Manifest): void {
  const restoring = join(dataDir, RESTORING)
  const paths = Object.keys(summary.files)
  const folders = paths.some((path) => path.startsWith(JOURNAL)) ? [JOURNAL] : []
  const lock = lockFolder(dataDir)
  try {
    for (const name of folders) mkdirSync(join(restoring, name), { mode: 0o700 })
    for (const path of paths) {
      onStep(`copying ${path}`)
      const { sha256 } = checksumOf(join(folder, path), join(restoring, path))
      if (sha256 !== checksums.get(path))
        throw new StartError(`${folder} cannot be read: ${path} changed between two reads`)
    }
    for (const name of [...folders, '.']) syncPath(join(restoring, name))
    // The links are last: an older version, which does not know restores, creates an empty links.db when there is none.
    for (const name of [...folders, SCANS, LINKS]) renameSync(join(restoring, name), join(dataDir, name))
    syncPath(dataDir)
    rmdirSync(restoring)
    syncPath(dataDir)
    syncPath(dirname(dataDir))
  } catch (error) {
    for (const name of [...folders, SCANS, LINKS, ...LOCKS])
      rmSync(join(dataDir, name), { recursive: true, force: true })
    throw error
  } finally {
    lock.release()
  }
}
