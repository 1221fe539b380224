import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { keepSpareFiles } from '../../lib/spare-files.ts'
import { syncPath } from '../../lib/sync-path.ts'
import { openJournalFile, type JournalWriter } from './journal-file.ts'

const SUFFIX = '.scans'
/** An empty file that is there before it is needed: a file system may have room for scans, and none for another file. */
const RESERVE = 'next'

/** The files of a journal. */
export interface JournalFiles {
  /** @throws when the folder is away, or another file cannot be created and there is none in reserve */
  open: (at: number) => JournalWriter
  /** Whether another file can be opened, which a visit needs at once when the present one is ended. */
  hasNext: () => boolean
  /** The names of all files, oldest first. */
  list: () => string[]
  /** The size of those that have scans: one that has only begun, as after a failed write, waits for nothing. */
  bytes: () => number
  /** The time of the oldest scan in them. @throws when the folder cannot be read */
  oldest: () => number | undefined
  close: () => void
}

/** Opens the folder, with spare descriptors: a file can be created also when the process may open no more. */
export function openJournalFiles(folder: string, sync: boolean): JournalFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (sync) syncPath(dirname(folder))
  // One for a journal file, and one for the folder when that is synced.
  const spare = keepSpareFiles(sync ? 2 : 1)
  const reserve = join(folder, RESERVE)
  const firsts = createFirstScans()
  const list = () => {
    const names = spare.use(() => journalsOf(folder)).sort()
    firsts.retain(names)
    return names
  }
  const hasNext = () => existsSync(reserve) || spare.use(() => canCreate(reserve))
  hasNext()
  return {
    open: (at) => firsts.notedIn(spare.use(() => openJournalFile(join(folder, newName(at)), sync, reserve))),
    hasNext,
    list,
    bytes: () => bytesOf(folder, firsts.withScans(list())),
    oldest: () => firsts.oldest(list()),
    close: spare.close,
  }
}

/** The journal files of a folder; empty when there is no such folder. */
export function journalsIn(folder: string): string[] {
  try {
    return journalsOf(folder)
  } catch {
    return []
  }
}

const journalsOf = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(SUFFIX))

function canCreate(file: string): boolean {
  try {
    closeSync(openSync(file, 'ax', 0o600))
    return true
  } catch {
    return false
  }
}

/** A fold may remove files in between. */
function bytesOf(folder: string, names: string[]): number {
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0)
}

/** Names sort by creation time; the random part makes each name unique for good. */
function newName(at: number): string {
  return `${String(at).padStart(15, '0')}-${randomBytes(8).toString('hex')}${SUFFIX}`
}

/** The times of the first scans in the files of this run. */
interface FirstScans {
  /** Notes the time of the first scan that is appended to a file, which may stay empty. */
  notedIn: (writer: JournalWriter) => JournalWriter
  /** Forgets files that do not exist any more. */
  retain: (names: string[]) => void
  /** Those of these files that have scans. */
  withScans: (names: string[]) => string[]
  /** The time of the first scan in these files; one of an earlier run was created with its first scan. */
  oldest: (names: string[]) => number | undefined
}

function createFirstScans(): FirstScans {
  let times = new Map<string, number>()
  const timeOf = (name: string) => times.get(name) ?? Number.parseInt(name, 10)
  return {
    notedIn(writer) {
      const { name, append } = writer
      times.set(name, Number.POSITIVE_INFINITY)
      let isNoted = false
      return {
        ...writer,
        append(scans) {
          append(scans)
          const [first] = scans
          if (isNoted || first === undefined) return
          times.set(name, first.at)
          isNoted = true
        },
      }
    },
    retain(names) {
      const existing = new Set(names)
      times = new Map(Array.from(times).filter(([name]) => existing.has(name)))
    },
    withScans: (names) => names.filter((name) => Number.isFinite(timeOf(name))),
    oldest: (names) => names.map(timeOf).find((time) => Number.isFinite(time)),
  }
}
