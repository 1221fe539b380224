import { statfsSync, type StatsFs } from 'node:fs'
import type { Space } from './low.ts'

/** A file system that counts no blocks, as one in memory without a bound, says nothing of what is free: both are infinite. */
export function spaceOf({ bavail, blocks, bsize }: StatsFs): Space {
  if (blocks === 0) return { free: Infinity, size: Infinity }
  return { free: bavail * bsize, size: blocks * bsize }
}

/** The space of the disk of a file or folder. @throws when it is away */
export function readSpace(path: string): Space {
  return spaceOf(statfsSync(path))
}

/** What is free on the disk of a file or folder, in bytes; infinite when it is away, which who reads and writes it reports. */
export function readFree(path: string): number {
  try {
    return readSpace(path).free
  } catch {
    return Infinity
  }
}
