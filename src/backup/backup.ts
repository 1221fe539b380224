import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockBackups, lockFolder, type FolderLock } from '../db/lock.ts'
import { isDiskFull } from '../db/sqlite-errors.ts'
import { lineOf, StartError } from '../lib/start-error.ts'
import { withThread, type Thread } from '../lib/thread-calls.ts'
import { syncPath } from '../lib/sync-path.ts'
import { liesBelow, namesIn } from './files.ts'
import { JOURNAL, LINKS, PARTS, SUMS, UNFINISHED, writeManifest, type Facts } from './manifest.ts'
import type { Taken, TakeOptions } from './take.ts'
import type { TakeCalls } from './take-thread.ts'

export interface BackupOptions {
  dataDir: string
  folder: string
  /** The version of this program. */
  version: string
  /** Lets the service move what it has recorded into the statistics; false when none runs on the data folder. */
  fold: () => Promise<boolean>
  now: () => number
  /** Told what is done next, and in which folder. */
  onStep: (step: string, folder: string) => void
  /** Makes sure that `undo` is called should the process be ended before the function that this answers is called. */
  undoOnEnd: (undo: () => void) => () => void
}

const SYNC_MS = 50

/** The journal files that were copied may reach the statistics meanwhile, once what kept them from it is mended. */
const ATTEMPTS = 5

/**
 * Writes a backup into a folder that is empty or not there: whole, checked and on the disk, or not at all. Everything that
 * was answered before the call is in it, each scan once; the keys of visitors are not.
 * @throws {StartError} when it cannot be taken
 */
export async function backUp(options: BackupOptions): Promise<Facts> {
  const { dataDir, version, undoOnEnd } = options
  if (!existsSync(join(dataDir, LINKS)))
    throw new StartError(`DATA_DIR=${dataDir} holds nothing of quirl: name its folder with --data-dir`)
  const folder = resolve(options.folder)
  if (liesBelow(folder, dataDir))
    throw new StartError(
      `${folder} lies in DATA_DIR=${dataDir}: a backup needs a folder elsewhere, best on another disk`,
    )
  const unfinished = join(folder, UNFINISHED)
  const backups = lockBackups(dataDir)
  let remove = () => {}
  const ended = undoOnEnd(() => remove())
  try {
    remove = prepare(folder)
    const { at, sums, ...counts } = await takeSettled({ ...options, folder: unfinished })
    const facts = writeManifest(unfinished, { quirl: version, taken_at: new Date(at).toISOString(), ...counts }, sums)
    publish(unfinished, folder)
    return facts
  } catch (error) {
    remove()
    throw explain(error, folder)
  } finally {
    ended()
    backups.release()
  }
}

/** What an operator is told of what ended a backup. */
function explain(error: unknown, folder: string): unknown {
  const line = lineOf(error)
  if (error instanceof StartError || line === undefined) return error
  const reason = isDiskFull(error) ? `the disk of ${folder} is full` : line
  return new StartError(`no backup was taken: ${reason}`, { cause: error })
}

/** Makes the folder in which a backup is written until it is whole. @returns removes all that was made since */
function prepare(folder: string): () => void {
  let isNew = false
  const undo = () => {
    const made = isNew ? [folder] : PARTS.map((name) => join(folder, name))
    // The thread that copies may be making a file.
    for (const path of made) rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    const names = namesIn(folder)
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

/** Copies the databases once they hold what was recorded; journal files that cannot be moved into them are copied too. */
async function takeSettled({ dataDir, folder, fold, now, onStep }: BackupOptions): Promise<Taken & { at: number }> {
  let lock: FolderLock | undefined
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const at = now()
      const before = journalsOf(dataDir)
      onStep('recorded scans', folder)
      if (!(await fold())) lock ??= lockFolder(dataDir)
      const after = new Set(journalsOf(dataDir))
      const journals = before.filter((name) => after.has(name))
      const taken = await takeUnlessFolded({ dataDir, folder, journals }, (step) => onStep(step, folder))
      if (taken !== undefined) return { ...taken, at }
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
    }
    throw new StartError('the journal changed again and again while it was copied: try again')
  } finally {
    lock?.release()
  }
}

/** Undefined when a journal file went meanwhile: its scans may be in the copied database as well. */
async function takeUnlessFolded(options: TakeOptions, onStep: (step: string) => void): Promise<Taken | undefined> {
  const areThere = () => {
    const there = new Set(journalsOf(options.dataDir))
    return options.journals.every((name) => there.has(name))
  }
  try {
    const taken = await takeOnThread(options, onStep)
    return areThere() ? taken : undefined
  } catch (error) {
    if (areThere()) throw error
    return undefined
  }
}

/** What else stands there no service can read either. */
function journalsOf(dataDir: string): string[] {
  const isFile = (name: string) => statSync(join(dataDir, JOURNAL, name), { throwIfNoEntry: false })?.isFile() === true
  return (namesIn(join(dataDir, JOURNAL)) ?? []).filter((name) => name.endsWith('.scans') && isFile(name))
}

async function takeOnThread(options: TakeOptions, onStep: (step: string) => void): Promise<Taken> {
  const writing = { file: '', isOver: false }
  const synced = syncOften(writing)
  const onNotice = (step: unknown) => {
    writing.file = join(options.folder, String(step))
    onStep(String(step))
  }
  try {
    const module = new URL('./take-thread.ts', import.meta.url)
    const result = await withThread(module, { name: 'the thread that copies', onNotice }, (thread: Thread<TakeCalls>) =>
      thread.call('take', options),
    )
    if ('fault' in result) throw new StartError(`no backup was taken: ${result.fault}`)
    return result
  } finally {
    writing.isOver = true
    await synced
  }
}

/** Brings what is written to the disk bit by bit: all at once, it would be in the way of what the service writes. */
async function syncOften(writing: { file: string; isOver: boolean }): Promise<void> {
  for (; !writing.isOver; await sleep(SYNC_MS)) {
    const file = await open(writing.file).catch(() => undefined)
    await file?.datasync().catch(() => {})
    await file?.close()
  }
}

/** Gives a whole backup's files their places. The sums are last: without them it is none. */
function publish(unfinished: string, folder: string): void {
  for (const name of readdirSync(unfinished).filter((name) => name !== SUMS))
    renameSync(join(unfinished, name), join(folder, name))
  syncPath(folder)
  renameSync(join(unfinished, SUMS), join(folder, SUMS))
  rmdirSync(unfinished)
  syncPath(folder)
  syncPath(dirname(folder))
}
