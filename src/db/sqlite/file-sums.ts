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
import { chownLikeFolder } from '../../lib/chown-like-folder.ts'
import { syncPath } from '../../lib/sync-path.ts'

/** Holds the sums of the other files from when the last process ended. */
const NAME = 'sums.json'

/** Bounds how much is read, so that neither the stop nor the next start waits long for the disk. */
const MAX_BYTES = 256 << 20

const CHUNK_BYTES = 1 << 20

/** The sums of files by their paths. */
export type Sums = Record<string, Sum>

interface Sum {
  bytes: number
  crc32: number
}

/**
 * Records the sums of the files of a folder, which must not change until the next start. Records none if that fails.
 * @param unreported the recorded sums of files that have changed since, which no start has reported yet
 */
export function recordSums(folder: string, isChecked: (name: string) => boolean, unreported: Sums = {}): void {
  const file = join(folder, NAME)
  try {
    const sums: Sums = {}
    let remaining = MAX_BYTES
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isChecked)) {
      const status = statSync(join(folder, name))
      if (!status.isFile() || status.size > remaining) continue
      remaining -= status.size
      sums[name] = { bytes: status.size, crc32: sumOf(join(folder, name)) }
    }
    // A process that is killed here leaves no partial file.
    writeFileSync(`${file}.new`, `${JSON.stringify({ ...sums, ...unreported })}\n`, { mode: 0o600, flush: true })
    chownLikeFolder(`${file}.new`)
    renameSync(`${file}.new`, file)
  } catch {
    rmSync(file, { force: true })
  }
}

/**
 * Returns the files of a folder that differ from their recorded sums, with these, and removes the record: the files may
 * change from now on. Returns none if there is no record, because the last process was killed.
 */
export function changedFiles(folder: string): Sums {
  const file = join(folder, NAME)
  if (!existsSync(file)) return {}
  const sums = read(file)
  rmSync(file)
  // The record must not come back after power loss.
  syncPath(folder)
  if (sums === undefined) return { [NAME]: { bytes: 0, crc32: 0 } }
  return Object.fromEntries(Object.entries(sums).filter(([name, sum]) => !hasSum(join(folder, name), sum)))
}

function hasSum(path: string, sum: Sum): boolean {
  try {
    const status = statSync(path)
    return status.isFile() && status.size === sum.bytes && sumOf(path) === sum.crc32
  } catch {
    // It is missing or cannot be read.
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
