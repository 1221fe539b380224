import { slotOf } from '../../scans/calendar.ts'
import { addCounts, addTo, type Counts } from '../../scans/folding/increments.ts'
import type { TableRows, ImportedScan } from '../../scans/import/records.ts'
import { dimensionNames, isSparse } from '../../dimensions/dimensions.ts'

/** What the tables of a bundle count, for a comparison: a store whose tables differ would not pass `quirl verify`. */
export interface BundleSums {
  /** Adds rows; those of quarters of an hour come first. */
  add: (read: TableRows) => void
  /** Visits that the quarters of an hour count. */
  clicks: () => number
  /** Begins a pass over the scans. @returns whether a scan is counted: some may have been folded after the counts were read */
  countedScans: () => (scan: ImportedScan) => boolean
  /** @throws {Error} when the tables count different visits */
  requireEqual: () => void
}

const none = (): Counts => [0, 0, 0, 0]

export function sumBundle(): BundleSums {
  const slots = new Map<number, Counts>()
  const total = none()
  const values = { days: dimensionNames.map(none), months: dimensionNames.map(none) }
  const scans = new Map<number, Counts>()
  let oldest = Number.POSITIVE_INFINITY
  let isCounted: ((scan: ImportedScan) => boolean) | undefined

  function addScan(scan: ImportedScan): void {
    isCounted ??= countedBy(slots)
    if (!isCounted(scan)) return
    oldest = Math.min(oldest, slotOf(scan.at))
    addTo(scans, slotOf(scan.at), countsOf(scan))
  }

  return {
    add(read) {
      if (read.table === 'scans') read.rows.forEach(addScan)
      else if (read.table === 'quarterHours') {
        for (const { slot, counts } of read.rows) {
          addTo(slots, slot, counts)
          addCounts(total, counts)
        }
      } else {
        const sums = values[read.table]
        for (const { dimension, counts } of read.rows) addCounts(sums[dimension] ?? none(), counts)
      }
    },
    clicks: () => total[0] + total[2],
    countedScans: () => countedBy(slots),
    requireEqual() {
      const ofEach = [...values.days.entries(), ...values.months.entries()]
      const isSame = ofEach.every(([dimension, sums]) => isSparse[dimension] === true || isEqual(sums, total))
      // Scans before the oldest are not stored any more, and perhaps some of its quarter of an hour.
      const isWhole = [...slots].every(([slot, counts]) => slot <= oldest || isEqual(scans.get(slot), counts))
      if (isSame && (isWhole || scans.size === 0)) return
      throw new Error('its tables count different visits: export the link again, best while it is paused')
    },
  }
}

/** Whether each scan is one of those that its quarter of an hour counts. */
function countedBy(slots: ReadonlyMap<number, Counts>): (scan: ImportedScan) => boolean {
  const seen = new Map<number, Counts>()
  return (scan) => {
    const slot = slotOf(scan.at)
    const more = countsOf(scan)
    const before = seen.get(slot) ?? none()
    const isCounted = slots.get(slot)?.every((count, at) => (before[at] ?? 0) + (more[at] ?? 0) <= count) === true
    if (isCounted) addTo(seen, slot, more)
    return isCounted
  }
}

function countsOf({ bot, first }: ImportedScan): Counts {
  const one = first ? 1 : 0
  return bot ? [0, 0, 1, one] : [1, one, 0, 0]
}

function isEqual(a: Counts = none(), b: Counts): boolean {
  return a.every((count, at) => count === b[at])
}
