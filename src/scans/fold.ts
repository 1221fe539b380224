import { closeSync, fsyncSync, openSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { dayOf } from './calendar.ts'
import { openFirstOfDay, type FirstOfDay } from './first-of-day.ts'
import { readJournalFile } from './journal-file.ts'
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
}

/** Links that a fold tells; of more it says that they are many. */
const MAX_TOLD = 10_000

/** Moves ended journal files into the warehouse. */
export interface Fold {
  /**
   * Folds files in the given order and removes each when it is wholly in the warehouse; then destroys the visitor keys
   * of the days before `now`, which these files completed. Whatever ends it half-way, the next call goes on there.
   */
  run: (journals: string[], now: number) => Promise<Folded>
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
  const firsts = openFirstOfDay(folders.visitors, rest)
  let today = Number.NaN

  return {
    async run(journals, now) {
      let moved = 0
      const links = new Set<number>()
      const onScans = (scans: Scan[]) => {
        moved += scans.length
        for (const { linkId } of scans) if (links.size <= MAX_TOLD) links.add(linkId)
      }
      for (const journal of journals)
        await foldFile(warehouse, firsts, { folder: folders.journal, journal, chunkScansOf, onScans })
      if (dayOf(now) !== today) {
        firsts.close()
        destroyBefore(folders.visitors, dayOf(now))
        // Names of removed files can go once their removal is on the disk; until then they keep a file that a power
        // loss brings back from being folded twice.
        syncFolder(folders.journal)
        warehouse.keepMarks([])
        today = dayOf(now)
      }
      return { moved, changed: links.size > MAX_TOLD ? undefined : [...links] }
    },
    close: () => firsts.close(),
  }
}

function chunkScansBySize(bytes: number): number {
  return bytes < LARGE_FILE_BYTES ? CHUNK_SCANS : LARGE_CHUNK_SCANS
}

interface FileToFold {
  folder: string
  journal: string
  chunkScansOf: (bytes: number) => number
  /** Told of the scans of each chunk, when they are in the warehouse. */
  onScans: (scans: Scan[]) => void
}

async function foldFile(
  warehouse: Warehouse,
  firsts: FirstOfDay,
  { folder, journal, chunkScansOf, onScans }: FileToFold,
): Promise<void> {
  const file = join(folder, journal)
  const chunkScans = chunkScansOf(statSync(file).size)
  let from = warehouse.position(journal)
  let scans: Scan[] = []
  const keep = (position: number) => {
    warehouse.add(firsts.flag({ journal, from, scans }), journal, position)
    onScans(scans)
    scans = []
    from = position
  }
  let end = from
  for (const batch of readJournalFile(file, from)) {
    for (const scan of batch.scans) scans.push(scan)
    end = batch.end
    if (scans.length >= chunkScans) {
      keep(end)
      await turn()
    }
  }
  if (scans.length > 0) keep(end)
  unlinkSync(file)
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
