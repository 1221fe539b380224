import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Metric } from '../http/metrics.ts'
import { keepSpareFiles } from '../lib/spare-files.ts'
import { syncPath } from '../lib/sync-path.ts'
import { openJournalFile, type JournalWriter } from './journal-file.ts'
import type { Scan } from './scan.ts'

const SUFFIX = '.scans'

/** How long a journal that could not be written is left alone. */
const RETRY_MS = 1000

/** Where a visit's scan is kept before the visit is answered. */
export interface Journal {
  /**
   * Notes a scan and calls `recorded` once it is on its way to survive: the scans of one turn of the event loop are
   * written together. When they cannot be written, `recorded` is called all the same; the scans are counted as lost.
   */
  record: (scan: Scan, recorded: () => void) => void
  /** Writes what was noted in this turn, and calls back, without waiting for its end. */
  flush: () => void
  /** Ends the file that is written to; the names of all ended files, oldest first. Each may be folded and removed. */
  rotate: () => string[]
  status: () => JournalStatus
  /** What waits to be folded, in bytes. */
  backlog: () => number
  close: () => void
}

/** How the journal is, since the start. */
export interface JournalStatus {
  /** Whether scans were lost since the last one that was written. */
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
  /** A clock that never goes back, for how long to wait. */
  monotonic: () => number
  /** Told of a failure, and of the number of scans that were lost to it, once for each try. */
  onFailure: (error: unknown, lost: number) => void
  /** Told what an answer threw. */
  onThrow: (error: unknown) => void
}

export function openJournal({ folder, sync, now, monotonic, onFailure, onThrow }: JournalOptions): Journal {
  const { openFile, files, close } = openFolder(folder, sync)
  let writer: JournalWriter | undefined
  let waiting: Scan[] = []
  let answers: (() => void)[] = []
  /** Of the last try, when that failed. */
  let failedAt: number | undefined
  let lost = 0
  let recorded = 0

  function abandon(): void {
    const ended = writer
    writer = undefined
    ended?.close()
  }

  function write(scans: Scan[]): void {
    if (failedAt !== undefined && monotonic() - failedAt < RETRY_MS) {
      lost += scans.length
      return
    }
    try {
      writer ??= openFile(newName(now()))
      writer.append(scans)
      recorded += scans.length
      failedAt = undefined
    } catch (error) {
      failedAt = monotonic()
      lost += scans.length
      onFailure(error, lost)
      tryTo(abandon)
    }
  }

  function flush(): void {
    const [scans, written] = [waiting, answers]
    waiting = []
    answers = []
    if (scans.length > 0) write(scans)
    for (const answer of written) tryTo(answer, onThrow)
  }

  const end = () => {
    flush()
    abandon()
  }

  return {
    record(scan, recorded) {
      waiting.push(scan)
      // After the sockets of this turn were read: one write for all the visits that they brought.
      if (answers.push(recorded) === 1) setImmediate(flush)
    },
    flush,
    rotate() {
      end()
      return files().sort()
    },
    status: () => ({ failing: failedAt !== undefined, lost, recorded }),
    backlog: () => bytesOf(folder, files()),
    close() {
      end()
      close()
    },
  }
}

/** The folder of the journal, in which a file can be opened also when the process may open no more. */
function openFolder(folder: string, sync: boolean) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (sync) syncPath(dirname(folder))
  // For a journal file, and the folder when that is synced.
  const spare = keepSpareFiles(sync ? 2 : 1)
  return {
    openFile: (name: string): JournalWriter => spare.use(() => openJournalFile(join(folder, name), sync)),
    files: () => spare.use(() => readdirSync(folder).filter(isJournal)),
    close: spare.close,
  }
}

const isJournal = (name: string) => name.endsWith(SUFFIX)

/** The files of a folder that are still to be folded; none when there is no such folder. */
export function journalsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(isJournal)
  } catch {
    return []
  }
}

/** What one piece of work throws must not keep the next from being done. */
function tryTo(work: () => void, onThrow: (error: unknown) => void = () => {}): void {
  try {
    work()
  } catch (error) {
    onThrow(error)
  }
}

/** @param unreadable scans that the fold found damaged, ever */
export function journalMetrics({ status, backlog }: Journal, unreadable: () => number): Metric[] {
  return [
    {
      name: 'quirl_journal_backlog_bytes',
      help: 'Journalled scans that are not folded yet',
      type: 'gauge',
      read: backlog,
    },
    {
      name: 'quirl_scans_recorded_total',
      help: 'Visits recorded before their answer',
      type: 'counter',
      read: () => status().recorded,
    },
    {
      name: 'quirl_scans_lost_total',
      help: 'Visits answered unrecorded, and recorded scans that were damaged before they were folded',
      type: 'counter',
      read: () => status().lost + unreadable(),
    },
  ]
}

/** The fold may remove a file meanwhile. */
function bytesOf(folder: string, names: string[]): number {
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0)
}

/** Names sort by the time of their making; the random part keeps a name from ever being seen twice. */
function newName(at: number): string {
  return `${String(at).padStart(15, '0')}-${randomBytes(8).toString('hex')}${SUFFIX}`
}
