import { readdirSync } from 'node:fs'
import { dayOf } from './calendar.ts'
import { openFirstOfDay } from './first-of-day.ts'
import { FileError, foldFile, type FileFold } from './fold-file.ts'
import { syncPath } from '../lib/sync-path.ts'
import type { Scan } from './scan.ts'
import { destroyBefore } from './visitors.ts'
import type { Warehouse } from './warehouse.ts'

/** Scans of one transaction: a larger one would delay requests for statistics. */
const CHUNK_SCANS = 2500
/** For a file so large that the fold is behind: larger transactions write each row of the rollups less often. */
const LARGE_CHUNK_SCANS = 10_000
const LARGE_FILE_BYTES = 4 << 20

export interface Folders {
  journal: string
  visitors: string
}

/** The links whose scans were folded, each once; undefined when there are too many to list, so that any may be. */
export type ChangedLinks = number[] | undefined

export interface FoldResult {
  /** The number of scans that were folded. */
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

/** A fold lists up to this many changed links. */
const MAX_CHANGED = 10_000

/** Moves closed journal files into the warehouse. */
export interface Fold {
  /**
   * Folds files in the given order and removes each once all of it is in the warehouse; then destroys the visitor keys
   * of the days before `now`, which these files completed. After an interruption, the next call resumes. A file that
   * cannot be folded does not stop the others.
   * @param deletedLinks links whose scans are dropped
   * @throws when the warehouse cannot be written
   */
  run: (journals: string[], now: number, deletedLinks?: number[]) => Promise<FoldResult>
  close: () => void
}

/**
 * @param yieldNow called often during long work
 * @param chunkScansOf scans of one transaction, by the size of the closed file in bytes, so that a retry has the same chunks
 */
export function openFold(
  warehouse: Warehouse,
  folders: Folders,
  yieldNow: () => void = () => {},
  chunkScansOf = chunkScansBySize,
): Fold {
  let damaged: string[] = []
  const firsts = openFirstOfDay(folders.visitors, yieldNow, (file) => damaged.push(file))
  const retries = createRetries()
  let today = Number.NaN

  function endDay(day: number): void {
    firsts.close()
    destroyBefore(folders.visitors, day)
    // A power loss can bring a removed file back until its removal is synced; its mark keeps it from being folded twice.
    syncPath(folders.journal)
    warehouse.retainMarks(readdirSync(folders.journal))
    today = day
  }

  return {
    async run(journals, now, deletedLinks = []) {
      const { onScans, moved, changed } = countMoved()
      const deleted = new Set(deletedLinks)
      const fold = { folder: folders.journal, warehouse, firsts, chunkScansOf, deletedLinks: deleted, onScans }
      retries.retain(journals)
      for (const journal of journals) {
        if (retries.isDue(journal) && (await retries.tryFold(journal, fold))) damaged.push(journal)
      }
      const failed = retries.failed()
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
      for (const { linkId } of scans) if (links.size <= MAX_CHANGED) links.add(linkId)
    },
    moved: () => moved,
    changed: () => (links.size > MAX_CHANGED ? undefined : [...links]),
  }
}

/** A file that fails repeatedly is skipped for at most this many folds. */
const MAX_SKIPS = 64

/** Retries files that cannot be folded with exponential backoff: many of them would take up every fold. */
function createRetries() {
  const byFile = new Map<string, { reason: string; skips: number; left: number }>()
  return {
    /** Drops the state of files that no longer exist. */
    retain(journals: string[]) {
      const existing = new Set(journals)
      for (const journal of byFile.keys()) if (!existing.has(journal)) byFile.delete(journal)
    },
    isDue(journal: string): boolean {
      const failure = byFile.get(journal)
      return failure === undefined || failure.left-- === 0
    },
    /** @returns whether the file was damaged */
    async tryFold(journal: string, fold: FileFold): Promise<boolean> {
      try {
        const wasDamaged = await foldFile(fold, journal)
        byFile.delete(journal)
        return wasDamaged
      } catch (error) {
        if (!(error instanceof FileError)) throw error
        const skips = Math.min(MAX_SKIPS, (byFile.get(journal)?.skips ?? 0.5) * 2)
        byFile.set(journal, { reason: error.message, skips, left: skips })
        return false
      }
    },
    failed: (): FailedFile[] => Array.from(byFile, ([file, { reason }]) => ({ file, reason })),
  }
}
