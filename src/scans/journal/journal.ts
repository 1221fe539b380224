import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { keepSpareFiles } from '../../lib/spare-files.ts'
import { syncPath } from '../../lib/sync-path.ts'
import { openLostCount, type LostCount } from './lost-count.ts'
import { openJournalFile, type JournalWriter } from './journal-file.ts'
import type { Scan } from '../scan.ts'

const SUFFIX = '.scans'
/** Beside the folder, which may be what is missing. */
const LOST_FILE = 'lost-scans'

/** How long scans are dropped after a failed write, before the next one is tried. */
const RETRY_MS = 1000

/** Writes scans to the disk before their visits are answered. */
export interface Journal {
  /**
   * Queues a scan and calls `recorded` once it is written: one write for all scans of a turn of the event loop. When the
   * write fails, `recorded` is called all the same, and the scans are counted as lost.
   */
  record: (scan: Scan, recorded: () => void) => void
  /** Writes the queued scans now, and calls back. */
  flush: () => void
  /** Closes the current file; returns the names of all closed files, oldest first. Each may be folded and removed. */
  rotate: () => string[]
  status: () => JournalStatus
  /** Bytes that are not folded yet. */
  backlog: () => number
  close: () => void
}

export interface JournalStatus {
  /** Whether the last write failed. */
  failing: boolean
  /** Scans that were not recorded, ever. */
  lost: number
  /** Since the start. */
  recorded: number
}

export interface JournalOptions {
  folder: string
  /** Whether a scan survives power loss, and not only the end of the process. */
  sync: boolean
  /** The time of day, for the names of files. */
  now: () => number
  /** A monotonic clock, for the delay before a retry. */
  monotonic: () => number
  /** Called with the error and the number of scans lost ever, once for each failed write. */
  onFailure: (error: unknown, lost: number) => void
  /** Called with what keeps the number of lost scans from being read or stored. */
  onUncounted: (error: unknown) => void
  /** Called with what a `recorded` callback threw. */
  onThrow: (error: unknown) => void
}

export function openJournal(options: JournalOptions): Journal {
  const { openFile, files, backlog, close } = openFolder(options.folder, options.sync)
  const lost = openLostCount(join(dirname(options.folder), LOST_FILE), options.monotonic, options.onUncounted)
  const writer = createRetryingWriter(openFile, lost, options)
  let waiting: Scan[] = []
  let callbacks: (() => void)[] = []

  function flush(): void {
    const [scans, recorded] = [waiting, callbacks]
    waiting = []
    callbacks = []
    if (scans.length > 0) writer.write(scans)
    for (const callback of recorded) tryTo(callback, options.onThrow)
  }

  const end = () => {
    flush()
    writer.endFile()
  }

  return {
    record(scan, recorded) {
      waiting.push(scan)
      // Runs after the sockets of this turn were read: one write for all their visits.
      if (callbacks.push(recorded) === 1) setImmediate(flush)
    },
    flush,
    rotate() {
      writer.retry()
      end()
      return files().sort()
    },
    status: writer.status,
    backlog,
    close() {
      end()
      close()
      lost.close()
    },
  }
}

/** Appends batches to one file until that is ended or fails; after a failure, drops batches for a while and tries anew. */
function createRetryingWriter(
  openFile: (name: string) => JournalWriter,
  lost: LostCount,
  { now, monotonic, onFailure }: Pick<JournalOptions, 'now' | 'monotonic' | 'onFailure'>,
) {
  let file: JournalWriter | undefined
  /** Undefined unless the last write failed. */
  let failedAt: number | undefined
  let recorded = 0

  function endFile(): void {
    const ended = file
    file = undefined
    ended?.close()
  }

  function write(scans: Scan[]): void {
    if (failedAt !== undefined && monotonic() - failedAt < RETRY_MS) {
      lost.add(scans.length)
      return
    }
    try {
      file ??= openFile(newName(now()))
      file.append(scans)
      recorded += scans.length
      failedAt = undefined
    } catch (error) {
      failedAt = monotonic()
      lost.add(scans.length)
      onFailure(error, lost.total())
      tryTo(endFile)
    }
  }

  return {
    write,
    /** After a failure, tries an empty batch: the service must become ready again also when no visit comes meanwhile. */
    retry(): void {
      if (failedAt !== undefined) write([])
    },
    endFile,
    status: (): JournalStatus => ({ failing: failedAt !== undefined, lost: lost.total(), recorded }),
  }
}

/** Opens the folder, with spare descriptors: a file can be created also when the process may open no more. */
function openFolder(folder: string, sync: boolean) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (sync) syncPath(dirname(folder))
  // One for a journal file, and one for the folder when that is synced.
  const spare = keepSpareFiles(sync ? 2 : 1)
  const files = () => spare.use(() => readdirSync(folder).filter(isJournal))
  return {
    openFile: (name: string): JournalWriter => spare.use(() => openJournalFile(join(folder, name), sync)),
    files,
    backlog: () => bytesOf(folder, files()),
    close: spare.close,
  }
}

const isJournal = (name: string) => name.endsWith(SUFFIX)

/** The journal files of a folder; empty when there is no such folder. */
export function journalsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(isJournal)
  } catch {
    return []
  }
}

/** Passes what `work` throws to `onThrow`, so that the caller goes on. */
function tryTo(work: () => void, onThrow: (error: unknown) => void = () => {}): void {
  try {
    work()
  } catch (error) {
    onThrow(error)
  }
}

/** A fold may remove files in between. */
function bytesOf(folder: string, names: string[]): number {
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0)
}

/** Names sort by creation time; the random part makes each name unique for good. */
function newName(at: number): string {
  return `${String(at).padStart(15, '0')}-${randomBytes(8).toString('hex')}${SUFFIX}`
}
