import type { Scan } from './scan.ts'

/** Links that are remembered between two folds; with more of them, any link may have scans. */
const MAX_LINKS = 100_000

/** Which links have scans by humans that are not folded yet. */
export interface UnfoldedLinks {
  /** To be called with a scan that is about to be recorded. */
  add: (scan: Scan) => void
  /** Whether a link may have some. If not, the warehouse has them all, also while a fold runs. */
  mayHave: (linkId: number) => boolean
  /** Folds that have begun. */
  begun: () => number
  /** To be called when the journal has been rotated. Returns what is to be called once all closed files are folded. */
  startFold: () => () => void
}

interface Links {
  ids: Set<number>
  /** Whether there are too many to list. */
  isAny: boolean
}

/**
 * A scan that a callback of the journal records during a rotation is written to the next file: so links are kept until the
 * fold after the next rotation has finished.
 */
export function createUnfoldedLinks(maxLinks = MAX_LINKS): UnfoldedLinks {
  // What earlier processes have left in the journal.
  let older: Links = { ids: new Set(), isAny: true }
  let newer = none()
  let recorded = none()
  let begun = 0

  function add(links: Links, linkId: number): void {
    if (links.ids.size < maxLinks) links.ids.add(linkId)
    else links.isAny ||= !links.ids.has(linkId)
  }

  return {
    add({ linkId, bot }) {
      if (!bot) add(recorded, linkId)
    },
    mayHave: (linkId) => [older, newer, recorded].some(({ ids, isAny }) => isAny || ids.has(linkId)),
    begun: () => begun,
    startFold() {
      begun++
      // After folds that have failed, there are older ones.
      for (const linkId of older.ids) add(newer, linkId)
      older = { ids: newer.ids, isAny: newer.isAny || older.isAny }
      newer = recorded
      recorded = none()
      return () => void (older = none())
    },
  }
}

function none(): Links {
  return { ids: new Set(), isAny: false }
}
