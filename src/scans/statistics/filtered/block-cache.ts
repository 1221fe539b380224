import { ofMemory } from '../../../lib/memory-limit.ts'
import type { Block } from './block.ts'
import type { PlannedBlock } from './plan.ts'

/** Bytes of all blocks: some 4,500,000 scans. Those of one link have half of them at most. */
const MAX_BYTES = ofMemory(64 * 2 ** 20)
/** A block that nobody has asked for in this time is forgotten. */
const IDLE_MS = 600_000

/**
 * Blocks of raw scans that were read before. In memory only: what is removed from the store is nowhere else
 * (docs/adr/0078-filters.md).
 */
export interface BlockCache {
  /**
   * The block of a range, if it still has all scans.
   * @param imported how many rows were imported to the link
   */
  get: (linkId: number, planned: PlannedBlock, imported: number) => Block | undefined
  /** Keeps a block, unless its link has too many already. */
  keep: (linkId: number, planned: PlannedBlock, imported: number, block: Block) => void
  /** Forgets the blocks of links. */
  drop: (linkIds: readonly number[]) => void
  /** Forgets blocks that begin before a quarter of an hour. */
  dropBefore: (slot: number) => void
  /** Forgets blocks that nobody has asked for lately; to be called now and then. */
  expire: () => void
  bytes: () => number
}

interface Entry {
  linkId: number
  block: Block
  /** What was counted when it was read. */
  scans: number
  imported: number
  usedAt: number
}

/** @param monotonic in milliseconds */
export function createBlockCache(monotonic: () => number = () => performance.now(), maxBytes = MAX_BYTES): BlockCache {
  const entries = createEntries()
  return {
    get(linkId, { fromSlot, toSlot, scans }, imported) {
      const key = keyOf(linkId, fromSlot)
      const entry = entries.remove(key)
      if (entry === undefined || entry.block.toSlot !== toSlot) return undefined
      if (entry.scans !== scans || entry.imported !== imported) return undefined
      entries.add(key, { ...entry, usedAt: monotonic() })
      return entry.block
    },
    keep(linkId, { fromSlot, scans }, imported, block) {
      const key = keyOf(linkId, fromSlot)
      entries.remove(key)
      // Else a question about more than there is room for would find nothing of what it has just read.
      if (entries.bytesOf(linkId) + block.bytes > maxBytes / 2) return
      entries.removeOldest(maxBytes - block.bytes)
      entries.add(key, { linkId, block, scans, imported, usedAt: monotonic() })
    },
    drop(linkIds) {
      const dropped = new Set(linkIds)
      entries.removeWhere(({ linkId }) => dropped.has(linkId))
    },
    dropBefore: (slot) => entries.removeWhere(({ block }) => block.fromSlot < slot),
    expire() {
      const oldest = monotonic() - IDLE_MS
      entries.removeWhere(({ usedAt }) => usedAt < oldest)
    },
    bytes: entries.bytes,
  }
}

/** Entries by key, the least recently added first, and the sums of their bytes. */
function createEntries() {
  const entries = new Map<string, Entry>()
  const bytesOfLinks = new Map<number, number>()
  let bytes = 0
  const count = ({ linkId, block }: Entry, sign: 1 | -1) => {
    const ofLink = (bytesOfLinks.get(linkId) ?? 0) + sign * block.bytes
    if (ofLink === 0) bytesOfLinks.delete(linkId)
    else bytesOfLinks.set(linkId, ofLink)
    bytes += sign * block.bytes
  }
  const remove = (key: string) => {
    const entry = entries.get(key)
    if (entries.delete(key) && entry !== undefined) count(entry, -1)
    return entry
  }
  return {
    add(key: string, entry: Entry) {
      entries.set(key, entry)
      count(entry, 1)
    },
    remove,
    removeWhere(isOver: (entry: Entry) => boolean) {
      for (const [key, entry] of entries) if (isOver(entry)) remove(key)
    },
    removeOldest(maxBytes: number) {
      for (const key of entries.keys()) {
        if (bytes <= maxBytes) return
        remove(key)
      }
    },
    bytesOf: (linkId: number) => bytesOfLinks.get(linkId) ?? 0,
    bytes: () => bytes,
  }
}

const keyOf = (linkId: number, fromSlot: number) => `${linkId}|${fromSlot}`
