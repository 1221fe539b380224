import { renameSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FoldTarget } from './fold-target.ts'
import { readJournalFile } from '../journal/journal-file.ts'
import type { Scan } from '../scan.ts'

/** The most bytes of one transaction, for files that hold little but damage: the thread serves other calls after it. */
const CHUNK_BYTES = 16 << 20

/**
 * The most links of one transaction: each has rows of its own, so that 10,000 visits of as many links take three times as long as those
 * of one. Half as many links take half as long, and a tenth more time in all.
 */
const CHUNK_LINKS = 5000

/**
 * After each chunk that another follows, the thread is free for others for this part of the time that the chunk took. A page asks
 * several questions, one after another: were they answered once between two chunks, it would wait for a chunk with each.
 */
const FREE_SHARE = 1 / 10

/** An error of one file, or of the keys of its day: other files can still be folded. */
export class FileError extends Error {}

/** Nothing is folded, for want of room. */
export class HeldError extends FileError {
  constructor() {
    super(HELD)
  }
}

export const HELD = 'the disk of DATA_DIR has too little room for a fold: scans wait in the journal until there is more'

export interface FileFold {
  folder: string
  target: Pick<FoldTarget, 'mark' | 'commit' | 'confirm' | 'most'>
  /** Scans of one transaction, by the size of the closed file in bytes, so that a retry has the same chunks. */
  chunkScansOf: (bytes: number) => number
  /** Links whose scans are dropped. */
  deletedLinks: ReadonlySet<number>
  /** Called with the scans of each committed chunk, and how many of them only count. */
  onScans: (scans: Scan[], onlyCounted: number) => void
}

/**
 * Moves the scans of a journal file into the warehouse, then removes the file; renames it when it is damaged.
 * @returns whether it was damaged
 * @throws {FileError} when the file cannot be read or removed; any other error is the warehouse's
 */
export async function foldFile(fold: FileFold, journal: string): Promise<boolean> {
  const { target, chunkScansOf } = fold
  const file = join(fold.folder, journal)
  const chunkScans = Math.min(chunkScansOf(asFileError(() => sizeOf(file))), target.most?.scans ?? Infinity)
  const chunkLinks = Math.min(CHUNK_LINKS, target.most?.links ?? Infinity)
  const mark = await target.mark(journal)
  const start = mark.position
  const chunk = { scans: [] as Scan[], from: start, end: start, lost: 0, isDamaged: mark.isDamaged }
  const links = new Set<number>()
  let began = performance.now()
  for (const { scans, lost, isDamaged, end } of withFileErrors(readJournalFile(file, start))) {
    for (const scan of scans) {
      chunk.scans.push(scan)
      links.add(scan.linkId)
    }
    chunk.lost += lost
    chunk.isDamaged ||= isDamaged
    chunk.end = end
    const isFull = chunk.scans.length >= chunkScans || links.size >= chunkLinks || end - chunk.from >= CHUNK_BYTES
    if (!isFull) continue
    await commitChunk(fold, journal, chunk)
    links.clear()
    await pause((performance.now() - began) * FREE_SHARE)
    began = performance.now()
  }
  if (chunk.end > chunk.from) await commitChunk(fold, journal, chunk)
  await target.confirm()
  asFileError(() => (chunk.isDamaged ? renameSync(file, `${file}.damaged`) : unlinkSync(file)))
  return chunk.isDamaged
}

/** Opening a pipe without a writer would block forever. */
function sizeOf(file: string): number {
  const status = statSync(file)
  if (!status.isFile()) throw new Error('it is not a regular file')
  return status.size
}

interface NextChunk {
  scans: Scan[]
  from: number
  end: number
  lost: number
  isDamaged: boolean
}

/** Commits a chunk to the warehouse, and resets it for the next. */
async function commitChunk({ target, deletedLinks, onScans }: FileFold, journal: string, chunk: NextChunk) {
  const { from, end, lost, isDamaged } = chunk
  const scans = deletedLinks.size === 0 ? chunk.scans : chunk.scans.filter(({ linkId }) => !deletedLinks.has(linkId))
  const onlyCounted = await target.commit(scans, { journal, from, position: end, lost, isDamaged })
  onScans(scans, onlyCounted)
  Object.assign(chunk, { scans: [], from: end, lost: 0 })
}

/** Runs work that concerns only one file. @throws {FileError} when it fails */
export function asFileError<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw fileErrorOf(error)
  }
}

function* withFileErrors<T>(items: Iterable<T>): Generator<T> {
  try {
    yield* items
  } catch (error) {
    throw fileErrorOf(error)
  }
}

function fileErrorOf(error: unknown): FileError {
  return new FileError(error instanceof Error ? error.message : String(error), { cause: error })
}
