import { createMemoryShare, type MemoryShare } from '../http/memory-guard.ts'
import { createFairPool, slowestOf } from '../lib/fair-pool.ts'
import type { Holder } from '../lib/holder.ts'

/** More than there are places for: it is memory that bounds them here. */
const MOST = 512
/**
 * How many there may be at least while the kernel's memory is short. A receiver can have it keep 25 MB of each, which is then less than the
 * part from which on connections of visitors give way, where there is 1 GiB of memory.
 */
const LEAST = 8
/** From which part on of what the kernel may have for connections they give way, before those of visitors do. */
const FROM = 0.4

/** The memory for requests to hosts that strangers have chosen, which the kernel has for their connections. */
export interface OutgoingMemory {
  /**
   * Whether there is none for a further request.
   * @param holder whose receiver it goes to, about whoever has it sent
   */
  isFull: (holder: Holder) => boolean
  /**
   * Counts a request.
   * @param giveWay ends it
   * @returns what to call when it has ended
   */
  enter: (holder: Holder, giveWay: () => void) => () => void
  share: MemoryShare
}

interface Outgoing {
  giveWay: () => void
}

/** While memory is short, those of the holder with most of them end, the oldest first: whoever answers is served in no time. */
export function createOutgoingMemory(): OutgoingMemory {
  const pool = createFairPool<Outgoing>({ capacity: MOST, choose: slowestOf })
  const leave = ({ giveWay }: Outgoing) => giveWay()
  return {
    isFull: pool.isRefused,
    enter(holder, giveWay) {
      const entry = { giveWay }
      pool.put(entry, holder).forEach(leave)
      return () => void pool.remove(entry)
    },
    share: createMemoryShare({ pool, kinds: ['sockets'], from: FROM, most: MOST, least: LEAST, leave }),
  }
}
