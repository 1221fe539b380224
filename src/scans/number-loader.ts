import type { HumanScanCounter } from './human-scans.ts'
import { createBatcher } from './scan-reader.ts'
import type { HumansOfLink } from './statistics/totals.ts'
import type { UnfoldedLinks } from './unfolded-links.ts'
import type { VisitorCounter } from './visitor-count.ts'

/** How often numbers are read when folds begin meanwhile. */
const ATTEMPTS = 3

interface LoaderNeeds {
  humanScans: Pick<HumanScanCounter, 'startRead'>
  visitors: Pick<VisitorCounter, 'startRead'>
  unfolded: Pick<UnfoldedLinks, 'mayHave' | 'begun'>
  /** Reads what is folded of these links. */
  read: (linkIds: number[]) => Promise<HumansOfLink[]>
  fold: () => Promise<boolean>
}

/**
 * Loads the requested numbers of a link, and resolves with whether they could be read. Those of a link without unfolded scans
 * are read while a fold runs, which takes long when visits come faster than they are folded; those of others the next fold tells.
 */
export function createNumberLoader({ humanScans, visitors, unfolded, ...needs }: LoaderNeeds) {
  const read = createBatcher(needs.read)

  async function readNow(linkId: number): Promise<boolean> {
    const begun = unfolded.begun()
    const [takeScans, takeVisitors] = [humanScans.startRead(linkId), visitors.startRead(linkId)]
    const numbers = await read(linkId)
    // A fold may have moved scans that were recorded since, and are counted in memory.
    if (unfolded.begun() !== begun) return false
    takeScans(numbers.scans)
    takeVisitors(numbers.visitors)
    return true
  }

  return async (linkId: number): Promise<boolean> => {
    for (let attempt = 0; attempt < ATTEMPTS && !unfolded.mayHave(linkId); attempt++)
      // The fold reports why the warehouse cannot be read.
      if (await readNow(linkId).catch(() => false)) return true
    return needs.fold()
  }
}
