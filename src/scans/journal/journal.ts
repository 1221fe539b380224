import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { keepSpareFiles } from '../../lib/spare-files.ts'
import { syncPath } from '../../lib/sync-path.ts'
import { openJournalFile, type JournalWriter } from './journal-file.ts'
import type { Scan } from '../scan.ts'

const SUFFIX = '.scans'

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
  /** The time of the oldest scan whose file is not folded yet. @throws when the folder cannot be read */
  oldest: () => number | undefined
  close: () => void
}

/** Counted since the start. */
export interface JournalStatus {
  /** Whether the last write failed. */
  failing: boolean
  lost: number
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
  /** Called with the error and the number of scans lost so far, once for each failed write. */
  onFailure: (error: unknown, lost: number) => void
  /** Called with what a `recorded` callback threw. */
  onThrow: (error: unknown) => void
}

export function openJournal(options: JournalOptions): Journal {
  const { openFile, files, backlog, oldest, close } = openFolder(options.folder, options.sync)
  const writer = createRetryingWriter(openFile, options)
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
      return files()
    },
    status: writer.status,
    backlog,
    oldest,
    close() {
      end()
      close()
    },
  }
}

/** Appends batches to one file until that is ended or fails; after a failure, drops batches for a while and tries anew. */
function createRetryingWriter(
  openFile: (name: string) => JournalWriter,
  { now, monotonic, onFailure }: Pick<JournalOptions, 'now' | 'monotonic' | 'onFailure'>,
) {
  let file: JournalWriter | undefined
  /** Undefined unless the last write failed. */
  let failedAt: number | undefined
  let lost = 0
  let recorded = 0

  function endFile(): void {
    const ended = file
    file = undefined
    ended?.close()
  }

  function write(scans: Scan[]): void {
    if (failedAt !== undefined && monotonic() - failedAt < RETRY_MS) {
      lost += scans.length
      return
    }
    try {
      file ??= openFile(newName(now()))
      file.append(scans)
      recorded += scans.length
      failedAt = undefined
    } catch (error) {
      failedAt = monotonic()
      lost += scans.length
      onFailure(error, lost)
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
    status: (): JournalStatus => ({ failing: failedAt !== undefined, lost, recorded }),
  }
}

/** The times of the first scans in the files of this run. */
function createFirsts() {
  let times = new Map<string, number>()
  return {
    /** Notes the time of the first scan that is appended to a file, which may stay empty. */
    notedIn(name: string, { append, close }: JournalWriter): JournalWriter {
      times.set(name, Number.POSITIVE_INFINITY)
      let isNoted = false
      return {
        append(scans) {
          append(scans)
          const [first] = scans
          if (isNoted || first === undefined) return
          times.set(name, first.at)
          isNoted = true
        },
        close,
      }
    },
    /** Forgets files that do not exist any more. */
    retain(names: string[]): void {
      const existing = new Set(names)
      times = new Map(Array.from(times).filter(([name]) => existing.has(name)))
    },
    /** The time of the first scan in these files; one of an earlier run was created with its first scan. */
    oldest(names: string[]): number | undefined {
      const found = names.map((name) => times.get(name) ?? Number.parseInt(name, 10))
      return found.find((time) => Number.isFinite(time))
    },
  }
}

/** Opens the folder, with spare descriptors: a file can be created also when the process may open no more. */
function openFolder(folder: string, sync: boolean) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (sync) syncPath(dirname(folder))
  // One for a journal file, and one for the folder when that is synced.
  const spare = keepSpareFiles(sync ? 2 : 1)
  const firsts = createFirsts()
  /** Oldest first. */
  const files = () => {
    const names = spare.use(() => readdirSync(folder).filter(isJournal)).sort()
    firsts.retain(names)
    return names
  }
  return {
    openFile: (name: string): JournalWriter => {
      const file = spare.use(() => openJournalFile(join(folder, name), sync))
      return firsts.notedIn(name, file)
    },
    files,
    backlog: () => bytesOf(folder, files()),
    oldest: () => firsts.oldest(files()),
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
