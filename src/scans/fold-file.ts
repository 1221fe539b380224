import { renameSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { FirstOfDay } from './first-of-day.ts'
import { readJournalFile } from './journal-file.ts'
import type { Scan } from './scan.ts'
import type { Warehouse } from './warehouse.ts'

/** Bytes of one transaction, for files that hold little but damage: others get their turn after it. */
const CHUNK_BYTES = 16 << 20

/** A fault of one file, or of the day whose scans it holds: it says nothing about the other files. */
export class FileFault extends Error {}

/** What the files of a fold are folded with. */
export interface FileFold {
  folder: string
  warehouse: Warehouse
  firsts: FirstOfDay
  /** Scans of one transaction, by the size of the ended file in bytes, so that a repetition has the same. */
  chunkScansOf: (bytes: number) => number
  /** Links whose scans are dropped. */
  gone: ReadonlySet<number>
  /** Told of the scans of each chunk, when they are in the warehouse. */
  onScans: (scans: Scan[]) => void
}

/**
 * Moves what is in a journal file into the warehouse, then removes the file; a damaged one is renamed.
 * @returns whether it was damaged
 * @throws {FileFault} when it cannot be read or removed; anything else is a fault of the warehouse
 */
export async function foldFile(fold: FileFold, journal: string): Promise<boolean> {
  const { warehouse, chunkScansOf } = fold
  const file = join(fold.folder, journal)
  const chunkScans = chunkScansOf(blame(() => sizeOf(file)))
  const mark = warehouse.mark(journal)
  const start = mark.position
  const next = { scans: [] as Scan[], from: start, end: start, lost: 0, isDamaged: mark.isDamaged }
  for (const { scans, lost, isDamaged, end } of blamed(readJournalFile(file, start))) {
    for (const scan of scans) next.scans.push(scan)
    next.lost += lost
    next.isDamaged ||= isDamaged
    next.end = end
    if (next.scans.length < chunkScans && end - next.from < CHUNK_BYTES) continue
    keepChunk(fold, journal, next)
    await turn()
  }
  if (next.end > next.from) keepChunk(fold, journal, next)
  blame(() => (next.isDamaged ? renameSync(file, `${file}.damaged`) : unlinkSync(file)))
  return next.isDamaged
}

/** To open a pipe that nobody writes to would never end. */
function sizeOf(file: string): number {
  const status = statSync(file)
  if (!status.isFile()) throw new Error('it is no file')
  return status.size
}

interface NextChunk {
  scans: Scan[]
  from: number
  end: number
  lost: number
  isDamaged: boolean
}

/** Keeps a chunk in the warehouse, and begins the next. */
function keepChunk({ warehouse, firsts, gone, onScans }: FileFold, journal: string, chunk: NextChunk): void {
  const { from, end, lost, isDamaged } = chunk
  const scans = gone.size === 0 ? chunk.scans : chunk.scans.filter(({ linkId }) => !gone.has(linkId))
  const flagged = blame(() => firsts.flag({ journal, from, scans }))
  warehouse.add(flagged, { journal, position: end, lost, isDamaged })
  onScans(scans)
  Object.assign(chunk, { scans: [], from: end, lost: 0 })
}

function blame<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw faultOf(error)
  }
}

function* blamed<T>(items: Iterable<T>): Generator<T> {
  try {
    yield* items
  } catch (error) {
    throw faultOf(error)
  }
}

function faultOf(error: unknown): FileFault {
  return new FileFault(error instanceof Error ? error.message : String(error), { cause: error })
}
