import { dayOf } from '../calendar.ts'
import type { Scan } from '../scan.ts'

/**
 * Referrers of a link and a UTC day that no scan of any link had before, at most: anyone can send any, and each is stored once
 * for good. Scans with further ones have `(other)`.
 */
export const MAX_NEW_REFERRERS = 1000

/** Days in memory: those of the journal's scans, which are folded in the order of time, nearly. */
const DAYS = 2

/** Decides which new referrers are stored as they are. It counts in memory: a restart begins anew. */
export interface NewReferrers {
  /** Whether the referrer of a scan, which is not stored yet, may be. */
  admit: (scan: Pick<Scan, 'linkId' | 'at'>) => boolean
}

export function createNewReferrers(max = MAX_NEW_REFERRERS): NewReferrers {
  const days = new Map<number, Map<number, number>>()

  function countsOf(day: number): Map<number, number> {
    const known = days.get(day)
    if (known !== undefined) return known
    const counts = new Map<number, number>()
    days.set(day, counts)
    if (days.size > DAYS) days.delete(Math.min(...days.keys()))
    return counts
  }

  return {
    admit({ linkId, at }) {
      const counts = countsOf(dayOf(at))
      const count = counts.get(linkId) ?? 0
      if (count >= max) return false
      counts.set(linkId, count + 1)
      return true
    },
  }
}
