import { readdirSync } from 'node:fs'
import { dayOf } from './calendar.ts'
import { openFirstOfDay } from './first-of-day.ts'
import { FileFault, foldFile, type FileFold } from './fold-file.ts'
import { syncPath } from '../lib/sync-path.ts'
import type { Scan } from './scan.ts'
import { destroyBefore } from './visitors.ts'
import type { Warehouse } from './warehouse.ts'

/** Scans of one transaction: larger ones let a statistics request wait. */
const CHUNK_SCANS = 2500
/** The same for a file so large that the fold is behind: each row of the rollups is then written more rarely. */
const LARGE_CHUNK_SCANS = 10_000
const LARGE_FILE_BYTES = 4 << 20

export interface Folders {
  journal: string
  visitors: string
}

/** The links whose scans were moved, each once; undefined when they are too many to tell, so that it may be any. */
export type ChangedLinks = number[] | undefined

/** What a fold did. */
export interface Folded {
  /** The number of scans that were moved. */
  moved: number
  changed: ChangedLinks
  /** Files that were found damaged, each once. */
  damaged: string[]
  /** Scans that were lost to damage, ever. */
  lost: number
  /** Files that could not be folded, and why. */
  failed: FailedFile[]
}

export interface FailedFile {
  file: string
  reason: string
}

/** Links that a fold tells; of more it says that they are many. */
const MAX_TOLD = 10_000

/** Moves ended journal files into the warehouse. */
export interface Fold {
  /**
   * Folds files in the given order and removes each when it is wholly in the warehouse; then destroys the visitor keys
   * of the days before `now`, which these files completed. Whatever ends it half-way, the next call goes on there. A file
   * that cannot be folded does not stop the others; the call fails when the warehouse cannot be written.
   * @param gone links whose scans are dropped
   */
  run: (journals: string[], now: number, gone?: number[]) => Promise<Folded>
  close: () => void
}

/**
 * @param rest called again and again during long work
 * @param chunkScansOf scans of one transaction, by the size of the ended file in bytes, so that a repetition has the same
 */
export function openFold(
  warehouse: Warehouse,
  folders: Folders,
  rest: () => void = () => {},
  chunkScansOf = chunkScansBySize,
): Fold {
  let damaged: string[] = []
  const firsts = openFirstOfDay(folders.visitors, rest, (file) => damaged.push(file))
  const failures = rememberFailures()
  let today = Number.NaN

  function endDay(day: number): void {
    firsts.close()
    destroyBefore(folders.visitors, day)
    // Names of removed files can go once their removal is on the disk; until then they keep a file that a power
    // loss brings back from being folded twice.
    syncPath(folders.journal)
    warehouse.keepMarks(readdirSync(folders.journal))
    today = day
  }

  return {
    async run(journals, now, gone = []) {
      const { onScans, moved, changed } = countMoved()
      const fold = { folder: folders.journal, warehouse, firsts, chunkScansOf, gone: new Set(gone), onScans }
      failures.keep(journals)
      for (const journal of journals) {
        if (failures.isDue(journal) && (await failures.note(journal, fold))) damaged.push(journal)
      }
      const failed = failures.all()
      try {
        if (dayOf(now) !== today) endDay(dayOf(now))
      } catch (error) {
        failed.push({ file: 'the keys of past days', reason: (error as Error).message })
      }
      const found = damaged
      damaged = []
      return { moved: moved(), changed: changed(), damaged: found, lost: warehouse.lost(), failed }
    },
    close: () => firsts.close(),
  }
}

function chunkScansBySize(bytes: number): number {
  return bytes < LARGE_FILE_BYTES ? CHUNK_SCANS : LARGE_CHUNK_SCANS
}

function countMoved() {
  let moved = 0
  const links = new Set<number>()
  return {
    onScans: (scans: Scan[]) => {
      moved += scans.length
      for (const { linkId } of scans) if (links.size <= MAX_TOLD) links.add(linkId)
    },
    moved: () => moved,
    changed: () => (links.size > MAX_TOLD ? undefined : [...links]),
  }
}

/** A file that fails again and again is left alone for this many folds, at most. */
const MAX_PASSED = 64

/** Remembers which files cannot be folded, and tries each more and more rarely: many of them would take up every fold. */
function rememberFailures() {
  const byFile = new Map<string, { reason: string; passes: number; left: number }>()
  return {
    /** Forgets the files that are not there any more. */
    keep(journals: string[]) {
      const there = new Set(journals)
      for (const journal of byFile.keys()) if (!there.has(journal)) byFile.delete(journal)
    },
    isDue(journal: string): boolean {
      const failure = byFile.get(journal)
      return failure === undefined || failure.left-- === 0
    },
    /** Folds a file; whether it was damaged. */
    async note(journal: string, fold: FileFold): Promise<boolean> {
      try {
        const wasDamaged = await foldFile(fold, journal)
        byFile.delete(journal)
        return wasDamaged
      } catch (error) {
        if (!(error instanceof FileFault)) throw error
        const passes = Math.min(MAX_PASSED, (byFile.get(journal)?.passes ?? 0.5) * 2)
        byFile.set(journal, { reason: error.message, passes, left: passes })
        return false
      }
    },
    all: (): FailedFile[] => Array.from(byFile, ([file, { reason }]) => ({ file, reason })),
  }
}
