import { FileError, foldFile, HELD, HeldError, type FileFold } from './fold-file.ts'
import type { FoldTarget } from './fold-target.ts'
import type { Scan } from '../scan.ts'

/** Scans of one transaction: a larger one would delay requests for statistics. */
const CHUNK_SCANS = 2500
/** For a file so large that the fold is behind: larger transactions write each row of the rollups less often. */
const LARGE_CHUNK_SCANS = 10_000
const LARGE_FILE_BYTES = 4 << 20

/** The links whose scans were folded, each once; undefined when there are too many to list, so that any may be. */
export type ChangedLinks = number[] | undefined

export interface FoldResult {
  /** The number of scans that were folded. */
  moved: number
  /** Those of them that are not stored one by one (see `RawBound`). */
  onlyCounted: number
  changed: ChangedLinks
  /** Files that were found damaged, each once. */
  damaged: string[]
  /** Scans that were lost to damage, ever. */
  lost: number
  /** Files that could not be folded, and why. */
  failed: FailedFile[]
  /** Nodes that are gone, whose scans were folded meanwhile and are part of the above. */
  adopted?: Adopted[]
  /** Nothing was folded, because the store is being moved: the journal keeps the scans. */
  isHeld?: true
}

/** The results of two folds, one after the other, as if of one. */
export function sumOf(first: FoldResult, second: FoldResult): FoldResult {
  const adopted = [...(first.adopted ?? []), ...(second.adopted ?? [])]
  return {
    ...second,
    moved: first.moved + second.moved,
    onlyCounted: first.onlyCounted + second.onlyCounted,
    changed: union(first.changed, second.changed),
    damaged: [...first.damaged, ...second.damaged],
    ...(adopted.length > 0 && { adopted }),
  }
}

/** The links of two lists, each once. */
export function union(one: ChangedLinks, other: ChangedLinks): ChangedLinks {
  return one && other && [...new Set([...one, ...other])]
}

/** A node that is gone. */
export interface Adopted {
  /** Its DATA_DIR. */
  folder: string
  /** Those of its scans that were folded. */
  scans: number
  /** Its files that could not be folded. */
  failed: FailedFile[]
}

export interface FailedFile {
  file: string
  reason: string
}

/** A fold lists up to this many changed links. */
const MAX_CHANGED = 10_000

const GROWING = 'it goes on, because the file system has no room for another file'

/** Moves closed journal files into the warehouse. */
export interface Fold {
  /**
   * Folds files in the given order and removes each once all of it is in the warehouse; then destroys the visitor keys
   * of the days before `now`, which these files completed. After an interruption, the next call resumes. A file that
   * cannot be folded does not stop the others.
   * @param deletedLinks links whose scans are dropped
   * @param growing a file that is not closed, and therefore one of the failed
   * @throws when the warehouse cannot be written
   */
  run: (journals: string[], now: number, deletedLinks?: number[], growing?: string) => Promise<FoldResult>
  close: () => Promise<void> | void
}

/**
 * @param folder holds the journal
 * @param chunkScansOf scans of one transaction, by the size of the closed file in bytes, so that a retry has the same chunks
 */
export function createFold(target: FoldTarget, folder: string, chunkScansOf = chunkScansBySize): Fold {
  const retries = createRetries()
  // Kept over a run that fails later.
  let damaged: string[] = []

  return {
    async run(journals, now, deletedLinks = [], growing) {
      const { onScans, ...counted } = countMoved()
      const deleted = new Set(deletedLinks)
      const fold = { folder, target, chunkScansOf, deletedLinks: deleted, onScans }
      retries.retain(journals)
      for (const journal of journals) {
        if (retries.isDue(journal) && (await retries.tryFold(journal, fold))) damaged.push(journal)
        if (retries.isHeld(journal)) break
      }
      const failed = retries.failed()
      if (growing !== undefined) failed.push({ file: growing, reason: GROWING })
      try {
        await target.finish(now, failed.length === 0)
      } catch (error) {
        failed.push({ file: 'the keys of past days', reason: (error as Error).message })
      }
      const lost = await target.lost()
      const found = [...target.damagedKeys(), ...damaged]
      damaged = []
      return { ...counted.result(), damaged: found, lost, failed }
    },
    close: () => target.close(),
  }
}

function chunkScansBySize(bytes: number): number {
  return bytes < LARGE_FILE_BYTES ? CHUNK_SCANS : LARGE_CHUNK_SCANS
}

function countMoved() {
  let [moved, onlyCounted] = [0, 0]
  const links = new Set<number>()
  return {
    onScans: (scans: Scan[], counted: number) => {
      moved += scans.length
      onlyCounted += counted
      for (const { linkId } of scans) if (links.size <= MAX_CHANGED) links.add(linkId)
    },
    result: () => ({ moved, onlyCounted, changed: links.size > MAX_CHANGED ? undefined : [...links] }),
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
        const skips = Math.min(MAX_SKIPS, (byFile.get(journal)?.skips || 0.5) * 2)
        // There may be room the next time.
        const next = error instanceof HeldError ? 0 : skips
        byFile.set(journal, { reason: error.message, skips: next, left: next })
        return false
      }
    },
    /** Whether it waits for room, as all files after it then do. */
    isHeld: (journal: string) => byFile.get(journal)?.reason === HELD,
    failed: (): FailedFile[] => Array.from(byFile, ([file, { reason }]) => ({ file, reason })),
  }
}
