import type { Group } from '../folding/increments.ts'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import { UNKNOWN } from '../text-ids.ts'

/** Visits of a link that another service has counted: nothing is known of each, and none is stored by itself. */
export interface ImportedCount {
  linkId: number
  /** When they count as made, in milliseconds since 1970. */
  at: number
  clicks: number
}

/** What to add to the rollups: visits by people, of whom none is known to be a visitor for the first time. */
export function importedGroups(counts: readonly ImportedCount[]): Group[] {
  return counts.map(({ linkId, at, clicks }) => {
    const ids = dimensionNames.map(() => UNKNOWN)
    return { linkId, at, ids, isQr: false, counts: [clicks, 0, 0, 0], lastAt: at }
  })
}
