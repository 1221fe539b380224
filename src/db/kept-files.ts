import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { syncPath } from '../lib/sync-path.ts'

/** The file that says how the others were when the last process ended. */
const NAME = 'sums.json'

/** What is larger than this in all is not read for it, so that neither the stop nor the next start waits for the disk. */
const MAX_BYTES = 256 << 20

const CHUNK_BYTES = 1 << 20

type Sums = Record<string, { bytes: number; crc32: number }>

/** Notes how files of a folder are, now that nothing will change them until the next start; nothing, when that fails. */
export function noteFiles(folder: string, isKept: (name: string) => boolean): void {
  const file = join(folder, NAME)
  try {
    const sums: Sums = {}
    let left = MAX_BYTES
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isKept)) {
      const status = statSync(join(folder, name))
      if (!status.isFile() || (left -= status.size) < 0) continue
      sums[name] = { bytes: status.size, crc32: sumOf(join(folder, name)) }
    }
    writeFileSync(file, `${JSON.stringify(sums)}\n`, { mode: 0o600, flush: true })
  } catch {
    rmSync(file, { force: true })
  }
}

/**
 * The files of a folder that are not as they were noted, and are from now on anything: what was noted is forgotten, for
 * good. None, where nothing was noted, because a process did not end by itself.
 */
export function changedFiles(folder: string): string[] {
  const file = join(folder, NAME)
  if (!existsSync(file)) return []
  const sums = read(file)
  rmSync(file)
  // A name that is gone must not come back after power loss.
  syncPath(folder)
  if (sums === undefined) return [NAME]
  return Object.keys(sums).filter((name) => {
    const path = join(folder, name)
    const status = statSync(path, { throwIfNoEntry: false })
    return status?.isFile() !== true || status.size !== sums[name]?.bytes || sumOf(path) !== sums[name]?.crc32
  })
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
