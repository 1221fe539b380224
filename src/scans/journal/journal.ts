import { dirname, join } from 'node:path'
import { openLostCount, type LostCount } from './lost-count.ts'
import type { JournalWriter } from './journal-file.ts'
import { openJournalFiles, type JournalFiles } from './journal-files.ts'
import type { Scan } from '../scan.ts'

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
  /** Ends the current file, if another one can be opened. */
  rotate: () => Rotation
  /** The same without ending it. */
  files: () => Rotation
  status: () => JournalStatus
  /** Bytes that are not folded yet. */
  backlog: () => number
  /** The time of the oldest scan whose file is not folded yet. @throws when the folder cannot be read */
  oldest: () => number | undefined
  close: () => void
}

export interface Rotation {
  /** The names of all closed files, oldest first. Each may be folded and removed. */
  closed: string[]
  /** The name of the current file, if it goes on and has scans. */
  growing: string | undefined
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
  /** Whether the disk is full: what is left of it is for others, and nothing is written. */
  isFull?: () => boolean
  /** Whether visits may take no room, which is no failure: scans are counted as lost. */
  isCritical?: () => boolean
  /** Called with the error and the number of scans lost ever, once for each failed write. */
  onFailure: (error: unknown, lost: number) => void
  /** Called with what keeps the number of lost scans from being read or stored. */
  onUncounted: (error: unknown) => void
  /** Called with what a `recorded` callback threw. */
  onThrow: (error: unknown) => void
}

export function openJournal(options: JournalOptions): Journal {
  const files = openJournalFiles(options.folder, options.sync)
  const lost = openLostCount(join(dirname(options.folder), LOST_FILE), options.monotonic, options.onUncounted)
  const writer = createRetryingWriter(files, lost, options)
  let waiting: Scan[] = []
  let callbacks: (() => void)[] = []

  function flush(): void {
    const [scans, recorded] = [waiting, callbacks]
    waiting = []
    callbacks = []
    if (scans.length > 0) writer.write(scans)
    for (const callback of recorded) tryTo(callback, options.onThrow)
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
      flush()
      return { growing: writer.next(), closed: writer.closed() }
    },
    files() {
      flush()
      return { growing: writer.growing(), closed: writer.closed() }
    },
    status: writer.status,
    backlog: files.bytes,
    oldest: files.oldest,
    close() {
      flush()
      writer.end()
      files.close()
      lost.close()
    },
  }
}

type WriterOptions = Pick<JournalOptions, 'now' | 'monotonic' | 'isFull' | 'isCritical' | 'onFailure'>

/** Appends batches; after a failure, drops them for a while and tries anew. */
function createRetryingWriter(
  files: JournalFiles,
  lost: LostCount,
  { now, monotonic, isFull = () => false, isCritical = () => false, onFailure }: WriterOptions,
) {
  const file = createCurrentFile(files, now, (scans, name) => lose(scans, new Error(`${name} was removed`)))
  /** Undefined unless the last write failed. */
  let failedAt: number | undefined
  let recorded = 0

  function lose(scans: number, error: unknown): void {
    lost.add(scans)
    onFailure(error, lost.total())
  }

  function write(scans: Scan[]): void {
    if (scans.length > 0 && isCritical()) return lost.add(scans.length)
    if (failedAt !== undefined && monotonic() - failedAt < RETRY_MS) return lost.add(scans.length)
    try {
      if (isFull()) throw new Error('the disk is full, and its reserve is for owners and operators')
      const writer = failedAt === undefined ? file.current() : file.another()
      writer.append(scans)
      recorded += scans.length
      failedAt = undefined
    } catch (error) {
      failedAt = monotonic()
      lose(scans.length, error)
    }
  }

  return {
    ...file,
    write,
    closed: () => files.list().filter((name) => name !== file.name()),
    /** After a failure, tries an empty batch: the service must become ready again also when no visit comes meanwhile. */
    retry(): void {
      if (failedAt !== undefined) write([])
    },
    status: (): JournalStatus => ({ failing: failedAt !== undefined, lost: lost.total(), recorded }),
  }
}

/** The file to which batches are appended. @param onRemoved called with the scans of one that another program has removed */
function createCurrentFile(files: JournalFiles, now: () => number, onRemoved: (scans: number, name: string) => void) {
  let file: JournalWriter | undefined

  function end(): void {
    const ended = file
    file = undefined
    if (ended === undefined) return
    if (ended.scans() > 0 && ended.isRemoved()) onRemoved(ended.scans(), ended.name)
    ended.close()
  }

  return {
    end,
    name: () => file?.name,
    growing: () => (file !== undefined && file.scans() > 0 ? file.name : undefined),
    current: () => (file ??= files.open(now())),
    /** Another file than one that could not be written, or the same when no other can be opened. */
    another(): JournalWriter {
      try {
        const opened = files.open(now())
        tryTo(end)
        return (file = opened)
      } catch (error) {
        if (file?.isUsable() === true) return file
        throw error
      }
    },
    /** Ends the file if it has scans and another one can be opened. @returns the name of one that has scans and goes on */
    next(): string | undefined {
      if (file === undefined || (file.scans() === 0 && file.isUsable())) return undefined
      if (file.isUsable() && !files.hasNext()) return file.name
      end()
      return undefined
    },
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
