import { dayOf } from '../calendar.ts'
import { firstOfAddress } from '../describing/visitor-key.ts'
import type { Scan } from '../scan.ts'

/**
 * Referrers of a link and a UTC day that no scan of any link had before, at most: anyone can send any, and each is stored once
 * for good. Scans with further ones have `(other)`.
 */
export const MAX_NEW_REFERRERS = 1000
/** Of these, one address brings so many, as it counts as so many people: else one client would take them all, and hide from where the others come. */
export const MAX_NEW_REFERRERS_OF_ADDRESS = 64
/** Addresses of a day in memory; with more, their counts begin anew. */
const MAX_ADDRESSES = 100_000

/** Days in memory: those of the journal's scans, which are folded in the order of time, nearly. */
const DAYS = 2

/** Decides which new referrers are stored as they are. It counts in memory: a restart begins anew. */
export interface NewReferrers {
  /** Whether the referrer of a scan, which is not stored yet, may be. */
  admit: (scan: Pick<Scan, 'linkId' | 'at' | 'visitor'>) => boolean
}

export function createNewReferrers(
  max = MAX_NEW_REFERRERS,
  ofAddress = MAX_NEW_REFERRERS_OF_ADDRESS,
  addresses = MAX_ADDRESSES,
): NewReferrers {
  const days = new Map<number, DayCounts>()

  function countsOf(day: number): DayCounts {
    const known = days.get(day)
    if (known !== undefined) return known
    const counts = { links: new Map(), addresses: new Map() }
    days.set(day, counts)
    if (days.size > DAYS) days.delete(Math.min(...days.keys()))
    return counts
  }

  return {
    admit({ linkId, at, visitor }) {
      const counts = countsOf(dayOf(at))
      const links = { counts: counts.links, key: linkId }
      if (!hasRoom(links, max)) return false
      if (visitor !== null) {
        if (counts.addresses.size >= addresses) counts.addresses.clear()
        const address = { counts: counts.addresses, key: firstOfAddress(visitor) }
        if (!hasRoom(address, ofAddress)) return false
        add(address)
      }
      add(links)
      return true
    },
  }
}

/** New referrers of a day by link, and by the address that has visited it: the keys of an address differ by link. */
interface DayCounts {
  links: Map<number, number>
  addresses: Map<number, number>
}

interface Share {
  counts: Map<number, number>
  key: number
}

function hasRoom({ counts, key }: Share, most: number): boolean {
  return (counts.get(key) ?? 0) < most
}

function add({ counts, key }: Share): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
