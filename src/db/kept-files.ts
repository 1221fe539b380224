import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { chownLikeFolder } from '../lib/chown-like-folder.ts'
import { syncPath } from '../lib/sync-path.ts'

/** The file that says how the others were when the last process ended. */
const NAME = 'sums.json'

/** What is larger than this in all is not read for it, so that neither the stop nor the next start waits for the disk. */
const MAX_BYTES = 256 << 20

const CHUNK_BYTES = 1 << 20

/** Files by their paths, as they were. */
export type Sums = Record<string, Sum>

interface Sum {
  bytes: number
  crc32: number
}

/**
 * Notes how files of a folder are, now that nothing will change them until the next start; nothing, when that fails.
 * @param before files that were changed since they were noted like this, of which nobody knows yet
 */
export function noteFiles(folder: string, isKept: (name: string) => boolean, before: Sums = {}): void {
  const file = join(folder, NAME)
  try {
    const sums: Sums = {}
    let left = MAX_BYTES
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isKept)) {
      const status = statSync(join(folder, name))
      if (!status.isFile() || status.size > left) continue
      left -= status.size
      sums[name] = { bytes: status.size, crc32: sumOf(join(folder, name)) }
    }
    // A process that is killed meanwhile leaves none, and not the half.
    writeFileSync(`${file}.new`, `${JSON.stringify({ ...sums, ...before })}\n`, { mode: 0o600, flush: true })
    chownLikeFolder(`${file}.new`)
    renameSync(`${file}.new`, file)
  } catch {
    rmSync(file, { force: true })
  }
}

/**
 * The files of a folder that are not as they were noted, with what was noted; from now on they are anything, and the notes
 * are gone. None, where nothing was noted, because a process did not end by itself.
 */
export function changedFiles(folder: string): Sums {
  const file = join(folder, NAME)
  if (!existsSync(file)) return {}
  const sums = read(file)
  rmSync(file)
  // A name that is gone must not come back after power loss.
  syncPath(folder)
  if (sums === undefined) return { [NAME]: { bytes: 0, crc32: 0 } }
  return Object.fromEntries(Object.entries(sums).filter(([name, noted]) => !isAsNoted(join(folder, name), noted)))
}

function isAsNoted(path: string, noted: Sum): boolean {
  try {
    const status = statSync(path)
    return status.isFile() && status.size === noted.bytes && sumOf(path) === noted.crc32
  } catch {
    // It is not there, or cannot be read.
    return false
  }
}

function read(file: string): Sums | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Sums
  } catch {
    return undefined
  }
}

function sumOf(file: string): number {
  const descriptor = openSync(file, 'r')
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    let sum = 0
    for (let length = readSync(descriptor, chunk); length > 0; length = readSync(descriptor, chunk))
      sum = crc32(chunk.subarray(0, length), sum)
    return sum
  } finally {
    closeSync(descriptor)
  }
}
