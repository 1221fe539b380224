import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
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
  /** Ends the file that is written to; the names of all ended files, oldest first. Each may be folded and removed. */
  rotate: () => string[]
  /** Whether scans were lost since the last one that was written, and how many since the start. */
  status: () => { failing: boolean; lost: number }
  close: () => void
}

export interface JournalOptions {
  folder: string
  /** Whether a scan survives power loss, and not only the end of the process. */
  sync: boolean
  now: () => number
  /** Told of a failure, and of the number of scans that were lost to it, once for each try. */
  onFailure: (error: unknown, lost: number) => void
}

export function openJournal({ folder, sync, now, onFailure }: JournalOptions): Journal {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let writer: JournalWriter | undefined
  let waiting: Scan[] = []
  let answers: (() => void)[] = []
  let failedAt = Number.NEGATIVE_INFINITY
  let failing = false
  let lost = 0

  function abandon(): void {
    writer?.close()
    writer = undefined
  }

  function write(scans: Scan[]): void {
    if (failing && now() - failedAt < RETRY_MS) {
      lost += scans.length
      return
    }
    try {
      writer ??= openJournalFile(join(folder, newName(now())), sync)
      writer.append(scans)
      failing = false
    } catch (error) {
      abandon()
      failing = true
      failedAt = now()
      lost += scans.length
      onFailure(error, lost)
    }
  }

  function flush(): void {
    const [scans, recorded] = [waiting, answers]
    waiting = []
    answers = []
    if (scans.length > 0) write(scans)
    for (const answer of recorded) answer()
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
    rotate() {
      end()
      return readdirSync(folder)
        .filter((name) => name.endsWith(SUFFIX))
        .sort()
    },
    status: () => ({ failing, lost }),
    close: end,
  }
}

/** Names sort by the time of their making; the random part keeps a name from ever being seen twice. */
function newName(at: number): string {
  return `${String(at).padStart(15, '0')}-${randomBytes(8).toString('hex')}${SUFFIX}`
}
