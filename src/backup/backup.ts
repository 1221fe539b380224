import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockBackups, lockFolder, type FolderLock } from '../db/lock.ts'
import { isDiskFull } from '../db/sqlite/errors.ts'
import { lineOf, StartError } from '../lib/start-error.ts'
import { withThread, type Thread } from '../lib/thread-calls.ts'
import { syncPath } from '../lib/sync-path.ts'
import { isInside, listFolder } from './files.ts'
import { JOURNAL, LINKS, PARTS, CHECKSUMS, UNFINISHED, writeManifest, type BackupSummary } from './manifest.ts'
import type { Snapshot, SnapshotOptions } from './snapshot.ts'
import type { SnapshotCalls } from './snapshot-thread.ts'

export interface BackupOptions {
  dataDir: string
  folder: string
  /** The version of this program. */
  version: string
  /** Has the service fold its journal; resolves with false when no service runs on the data folder. */
  fold: () => Promise<boolean>
  now: () => number
  /** Called with the next step, and the folder that it writes to. */
  onStep: (step: string, folder: string) => void
  /** Registers `undo` for signals that end the process, until the returned function is called. */
  undoOnEnd: (undo: () => void) => () => void
}

const SYNC_MS = 50

/** A fold that works again may remove journal files while they are copied: then the copy restarts. */
const ATTEMPTS = 5

/**
 * Writes a backup into an empty or new folder: complete, verified and synced, or not at all. It has everything that was
 * acknowledged before the call, each scan once, but no visitor keys.
 * @throws {StartError} when it cannot be taken
 */
export async function backUp(options: BackupOptions): Promise<BackupSummary> {
  const { dataDir, version, undoOnEnd } = options
  if (!existsSync(join(dataDir, LINKS)))
    throw new StartError(`DATA_DIR=${dataDir} holds nothing of quirl: name its folder with --data-dir`)
  const folder = resolve(options.folder)
  if (isInside(folder, dataDir))
    throw new StartError(
      `${folder} is inside DATA_DIR=${dataDir}: a backup needs a folder elsewhere, best on another disk`,
    )
  const unfinished = join(folder, UNFINISHED)
  const backups = lockBackups(dataDir)
  let remove = () => {}
  const ended = undoOnEnd(() => remove())
  try {
    remove = prepare(folder)
    const { at, checksums, ...counts } = await snapshotAfterFold({ ...options, folder: unfinished })
    const summary = writeManifest(
      unfinished,
      { quirl: version, taken_at: new Date(at).toISOString(), ...counts },
      checksums,
    )
    publish(unfinished, folder)
    return summary
  } catch (error) {
    remove()
    throw explain(error, folder)
  } finally {
    ended()
    backups.release()
  }
}

/** Turns a failure of the environment into an error for the operator. */
function explain(error: unknown, folder: string): unknown {
  const line = lineOf(error)
  if (error instanceof StartError || line === undefined) return error
  const reason = isDiskFull(error) ? `the disk of ${folder} is full` : line
  return new StartError(`no backup was taken: ${reason}`, { cause: error })
}

/** Creates the folder for the unfinished backup. @returns a function that removes everything that was created */
function prepare(folder: string): () => void {
  let isNew = false
  const undo = () => {
    const made = isNew ? [folder] : PARTS.map((name) => join(folder, name))
    // Retried, because the copying thread may be creating a file.
    for (const path of made) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    const names = listFolder(folder)
    if (names?.includes(UNFINISHED)) throw new StartError(`${folder} holds an unfinished backup: remove it first`)
    if (names !== undefined && names.length > 0)
      throw new StartError(`${folder} is not empty: each backup needs a folder of its own`)
    if (names === undefined) mkdirSync(folder, { mode: 0o700 })
    isNew = names === undefined
    mkdirSync(join(folder, UNFINISHED), { mode: 0o700 })
    return undo
  } catch (error) {
    if (isNew) undo()
    if (error instanceof StartError) throw error
    throw new StartError(`${folder} cannot be written: ${(error as Error).message}`, { cause: error })
  }
}

/** Has the journal folded, then copies the databases, and the journal files that could not be folded. */
async function snapshotAfterFold({
  dataDir,
  folder,
  fold,
  now,
  onStep,
}: BackupOptions): Promise<Snapshot & { at: number }> {
  let lock: FolderLock | undefined
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const at = now()
      const before = journalsOf(dataDir)
      onStep('recorded scans', folder)
      if (!(await fold())) lock ??= lockFolder(dataDir)
      const after = new Set(journalsOf(dataDir))
      const journals = before.filter((name) => after.has(name))
      const snapshot = await snapshotUnlessFolded({ dataDir, folder, journals }, (step) => onStep(step, folder))
      if (snapshot !== undefined) return { ...snapshot, at }
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
    }
    throw new StartError('the journal kept changing while it was copied: try again')
  } finally {
    lock?.release()
  }
}

/** @returns undefined when a journal file was folded meanwhile: its scans may be in the copied database as well */
async function snapshotUnlessFolded(
  options: SnapshotOptions,
  onStep: (step: string) => void,
): Promise<Snapshot | undefined> {
  const haveAll = () => {
    const existing = new Set(journalsOf(options.dataDir))
    return options.journals.every((name) => existing.has(name))
  }
  try {
    const snapshot = await snapshotOnThread(options, onStep)
    return haveAll() ? snapshot : undefined
  } catch (error) {
    if (haveAll()) throw error
    return undefined
  }
}

/** The journal files; the service cannot read anything else there either. */
function journalsOf(dataDir: string): string[] {
  const isFile = (name: string) => statSync(join(dataDir, JOURNAL, name), { throwIfNoEntry: false })?.isFile() === true
  return (listFolder(join(dataDir, JOURNAL)) ?? []).filter((name) => name.endsWith('.scans') && isFile(name))
}

async function snapshotOnThread(options: SnapshotOptions, onStep: (step: string) => void): Promise<Snapshot> {
  const writing = { file: '', isDone: false }
  const synced = syncOften(writing)
  const onNotice = (step: unknown) => {
    writing.file = join(options.folder, String(step))
    onStep(String(step))
  }
  try {
    const module = new URL('./snapshot-thread.ts', import.meta.url)
    const result = await withThread(
      module,
      { name: 'the thread that copies', onNotice },
      (thread: Thread<SnapshotCalls>) => thread.call('take', options),
    )
    if ('fault' in result) throw new StartError(`no backup was taken: ${result.fault}`)
    return result
  } finally {
    writing.isDone = true
    await synced
  }
}

/** Syncs the file often while it is written: one sync of all of it would delay the writes of the service. */
async function syncOften(writing: { file: string; isDone: boolean }): Promise<void> {
  for (; !writing.isDone; await sleep(SYNC_MS)) {
    const file = await open(writing.file).catch(() => undefined)
    await file?.datasync().catch(() => {})
    await file?.close()
  }
}

/** Moves the files of a complete backup to their final names. The checksums are last: without them it is not a backup. */
function publish(unfinished: string, folder: string): void {
  for (const name of readdirSync(unfinished).filter((name) => name !== CHECKSUMS))
    renameSync(join(unfinished, name), join(folder, name))
  syncPath(folder)
  renameSync(join(unfinished, CHECKSUMS), join(folder, CHECKSUMS))
  rmdirSync(unfinished)
  syncPath(folder)
  syncPath(dirname(folder))
}
