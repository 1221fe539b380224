import { createLinkFilter, type LinkFilter } from './link-filter.ts'
import type { Scan } from './scan.ts'

/** Links that are listed between two folds: a stranger can visit more of his own, and of further ones a filter tells. */
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
  /** Those beyond `MAX_LINKS`, if there are some. */
  further: LinkFilter | undefined
  /** Whether any link may be one. */
  isAny: boolean
}

/**
 * A scan that a callback of the journal records during a rotation is written to the next file: so links are kept until the
 * fold after the next rotation has finished.
 */
export function createUnfoldedLinks(maxLinks = MAX_LINKS): UnfoldedLinks {
  // What earlier processes have left in the journal.
  let older: Links = { ...none(), isAny: true }
  let newer = none()
  let recorded = none()
  let begun = 0

  function add(links: Links, linkId: number): void {
    if (links.ids.size < maxLinks) links.ids.add(linkId)
    else if (!links.ids.has(linkId)) (links.further ??= createLinkFilter()).add(linkId)
  }

  /** Adds those of folds that have failed. */
  function addAll(links: Links, { ids, further, isAny }: Links): void {
    for (const linkId of ids) add(links, linkId)
    if (further !== undefined) (links.further ??= createLinkFilter()).join(further)
    links.isAny ||= isAny
  }

  return {
    add({ linkId, bot }) {
      if (!bot) add(recorded, linkId)
    },
    mayHave: (linkId) =>
      [older, newer, recorded].some(
        ({ ids, further, isAny }) => isAny || ids.has(linkId) || further?.has(linkId) === true,
      ),
    begun: () => begun,
    startFold() {
      begun++
      addAll(newer, older)
      older = newer
      newer = recorded
      recorded = none()
      return () => void (older = none())
    },
  }
}

function none(): Links {
  return { ids: new Set(), further: undefined, isAny: false }
}
