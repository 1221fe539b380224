import { createMemoryShare, type MemoryShare } from '../http/memory-guard.ts'
import { createFairPool, slowestOf } from '../lib/fair-pool.ts'
import type { Holder } from '../lib/holder.ts'

/** More than there are places for: it is memory that bounds them here. */
const MOST = 512
/**
 * How many there may be at least while the kernel's memory is short. A receiver can have it keep 25 MB of each, which is then less than the
 * part from which on connections of visitors give way.
 */
const LEAST_FOR_SOCKETS = 8
/** From which parts on they give way, before the connections of visitors do: of what the kernel may have for connections, */
const FROM_OF_SOCKETS = 0.4
/** and of all memory, where others have most of it. */
const FROM_OF_ALL = 0.55

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
  shares: readonly MemoryShare[]
}

interface Outgoing {
  giveWay: () => void
}

/** While memory is short, those of the holder with most of them end, the oldest first: whoever answers is served in no time. */
export function createOutgoingMemory(): OutgoingMemory {
  const pool = createFairPool<Outgoing>({ capacity: MOST, choose: slowestOf })
  const limits: number[] = []
  const leave = ({ giveWay }: Outgoing) => giveWay()

  function shareOf(kinds: MemoryShare['kinds'], from: number, least?: number): MemoryShare {
    const at = limits.push(MOST) - 1
    function resize(to: number): readonly Outgoing[] {
      limits[at] = to
      return pool.resize(Math.min(...limits))
    }
    return createMemoryShare({ pool: { total: pool.total, resize }, kinds, from, most: MOST, least, leave })
  }

  return {
    isFull: pool.isRefused,
    enter(holder, giveWay) {
      const entry = { giveWay }
      pool.put(entry, holder).forEach(leave)
      return () => void pool.remove(entry)
    },
    shares: [shareOf(['sockets'], FROM_OF_SOCKETS, LEAST_FOR_SOCKETS), shareOf(['process'], FROM_OF_ALL)],
  }
}
