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

/** Moves ended journal files into the warehouse. */
export interface Fold {
  /**
   * Folds files in the given order and removes each when it is wholly in the warehouse; then destroys the visitor keys
   * of the days before `now`, which these files completed. Whatever ends it half-way, the next call goes on there.
   * @returns the number of scans that were moved
   */
  run: (journals: string[], now: number) => Promise<number>
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
      for (const journal of journals)
        moved += await foldFile(warehouse, firsts, join(folders.journal, journal), journal, chunkScansOf)
      if (dayOf(now) !== today) {
        firsts.close()
        destroyBefore(folders.visitors, dayOf(now))
        // Names of removed files can go once their removal is on the disk; until then they keep a file that a power
        // loss brings back from being folded twice.
        syncFolder(folders.journal)
        warehouse.keepMarks([])
        today = dayOf(now)
      }
      return moved
    },
    close: () => firsts.close(),
  }
}

function chunkScansBySize(bytes: number): number {
  return bytes < LARGE_FILE_BYTES ? CHUNK_SCANS : LARGE_CHUNK_SCANS
}

async function foldFile(
  warehouse: Warehouse,
  firsts: FirstOfDay,
  file: string,
  journal: string,
  chunkScansOf: (bytes: number) => number,
): Promise<number> {
  const chunkScans = chunkScansOf(statSync(file).size)
  let moved = 0
  let from = warehouse.position(journal)
  let scans: Scan[] = []
  const keep = (position: number) => {
    warehouse.add(firsts.flag({ journal, from, scans }), journal, position)
    moved += scans.length
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
  return moved
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
