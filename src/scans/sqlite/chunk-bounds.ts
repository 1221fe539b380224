import { foldBytesOf } from '../../disk/room.ts'
import { readSpace } from '../../disk/space.ts'
import type { ChunkBounds } from '../folding/fold-target.ts'

/** What a transaction takes in the log for each link, which has pages of its own: 10 MB for 611, 49 MB for 5,000. */
const BYTES_OF_LINK = 16_000
/** What it takes beside the keys of visitors for each scan: the former content of the page that gets its key. */
const BYTES_OF_SCAN = 4096
/** Either takes this part of what a transaction may have. */
const PART = 1 / 2
/** Where that is less still: smaller ones would take longer than the visits that they count. */
const LEAST: ChunkBounds = { scans: 500, links: 100 }

/**
 * What one transaction of the fold has at most on the disk of a folder, so that it does not take what the disk has left when it is nearly
 * full. By the size of the disk, and not by what is free: a retry has the same chunks.
 */
export function chunkBoundsOf(folder: string): ChunkBounds {
  const bytes = foldBytesOf(readSpace(folder)) * PART
  return {
    scans: Math.max(LEAST.scans, Math.floor(bytes / BYTES_OF_SCAN)),
    links: Math.max(LEAST.links, Math.floor(bytes / BYTES_OF_LINK)),
  }
}
