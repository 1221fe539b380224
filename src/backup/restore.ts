import { existsSync, mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { faultsOf, openToRead } from '../db/copy.ts'
import { lockFolder } from '../db/lock.ts'
import { requireRestored, RESTORING } from '../db/open.ts'
import { isDiskFull } from '../db/sqlite-errors.ts'
import { StartError } from '../lib/start-error.ts'
import { syncPath } from '../lib/sync-path.ts'
import { liesBelow, namesIn, sumOf } from './files.ts'
import { JOURNAL, LINKS, readManifest, SCANS, type Facts, type Manifest } from './manifest.ts'

export interface RestoreOptions {
  folder: string
  dataDir: string
  /** Told what is done next. */
  onStep: (step: string) => void
}

/**
 * Puts a backup into a data folder that is empty or not there, once it was checked: whole and on the disk, or not at all.
 * @throws {StartError} when that cannot be done
 */
export function restore(options: RestoreOptions): Facts {
  const { folder, onStep } = options
  const dataDir = resolve(options.dataDir)
  requireEmpty(dataDir)
  if (liesBelow(dataDir, folder))
    throw new StartError(`DATA_DIR=${dataDir} lies in ${folder}, which nothing may be added to: name another folder`)
  const manifest = readManifest(folder, (path) => onStep(`reading ${path}`))
  for (const name of [LINKS, SCANS]) {
    onStep(`checking ${name}`)
    requireSound(folder, name)
  }
  const isNew = !existsSync(dataDir)
  const restoring = join(dataDir, RESTORING)
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    mkdirSync(restoring, { mode: 0o700 })
  } catch (error) {
    throw new StartError(`DATA_DIR=${dataDir} cannot be written: ${(error as Error).message}`, { cause: error })
  }
  try {
    putLocked({ ...options, dataDir }, manifest)
  } catch (error) {
    rmSync(restoring, { recursive: true, force: true })
    if (isNew && namesIn(dataDir)?.length === 0) rmdirSync(dataDir)
    if (isDiskFull(error)) throw new StartError(`the disk of DATA_DIR=${dataDir} is full: nothing was restored`)
    throw error
  }
  return manifest.facts
}

function requireEmpty(dataDir: string): void {
  requireRestored(dataDir)
  const names = namesIn(dataDir) ?? []
  // A service that runs on it is the better reason.
  if (names.includes('lock')) lockFolder(dataDir).release()
  if (names.length > 0)
    throw new StartError(`DATA_DIR=${dataDir} is not empty: move it away, or name another folder with --data-dir`)
}

function requireSound(folder: string, name: string): void {
  const db = openToRead(join(folder, name))
  try {
    const [fault] = faultsOf(db)
    if (fault !== undefined)
      throw new StartError(`${folder} holds a damaged ${name}, as it was when it was copied: ${fault}`)
  } finally {
    db.close()
  }
}

function putLocked({ folder, dataDir, onStep }: RestoreOptions, { facts, sums }: Manifest): void {
  const restoring = join(dataDir, RESTORING)
  const paths = Object.keys(facts.files)
  const folders = paths.some((path) => path.startsWith(JOURNAL)) ? [JOURNAL] : []
  const lock = lockFolder(dataDir)
  try {
    for (const name of folders) mkdirSync(join(restoring, name), { mode: 0o700 })
    for (const path of paths) {
      onStep(`copying ${path}`)
      const { sha256 } = sumOf(join(folder, path), join(restoring, path))
      if (sha256 !== sums.get(path)) throw new StartError(`${folder} cannot be read: ${path} is not what it was before`)
    }
    for (const name of [...folders, '.']) syncPath(join(restoring, name))
    // A quirl that knows nothing of restores begins anew where there are no links, and so they are the last.
    for (const name of [...folders, SCANS, LINKS]) renameSync(join(restoring, name), join(dataDir, name))
    syncPath(dataDir)
    rmdirSync(restoring)
    syncPath(dataDir)
    syncPath(dirname(dataDir))
  } catch (error) {
    for (const name of [...folders, SCANS, LINKS, 'lock']) rmSync(join(dataDir, name), { recursive: true, force: true })
    throw error
  } finally {
    lock.release()
  }
}
