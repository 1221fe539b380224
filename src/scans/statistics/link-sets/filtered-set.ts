import { filteredRows, planReading, type RawReading } from '../filtered/filtered-rows.ts'
import type { Filters } from '../stats-query.ts'
import { earlierWindows, type Windows } from '../windows.ts'
import type { SetReading } from './refresh.ts'
import type { SetRows } from './set-rows.ts'
import { ofAudience } from '../quarter-hours.ts'

/** Scans that are counted one by one for one question: some three seconds. */
export const MAX_FILTERED = 1_000_000

/** Reads single scans of a set with filters. @returns how many there are, when they are too many */
export async function readFilteredSet(
  reading: SetReading & RawReading,
  ids: number[],
  windows: Windows,
  filters: Filters,
): Promise<SetRows | number> {
  const ranges = [windows.whole, ...earlierWindows(windows)]
  const active = new Set<number>()
  let scans = 0
  for (const { fromSlot, toSlot } of ranges) {
    reading.spend(ids.length / 2)
    for (const [id, humans, , bots] of await reading.rows.sumsOf(ids, fromSlot, toSlot)) {
      active.add(id)
      scans += humans + bots
    }
    await reading.pause()
  }
  if (scans > MAX_FILTERED) return scans
  const links = new Float64Array(ids.length * 2)
  reading.spend(scans + active.size * 20)
  const rows = filteredRows(reading, filters, await planReading(reading, [...active], ranges))
  const places = new Map(ids.map((id, at) => [id, at]))
  return {
    links,
    rows: {
      ofLink: (_, query) =>
        rows.ofSet([...active], query, (id, sums) => {
          const { scans: count, unique_visitors: firsts } = ofAudience(sums, query.audience)
          links.set([count, firsts], (places.get(id) ?? 0) * 2)
        }),
      ofLinks: rows.ofLinks,
      texts: rows.texts,
    },
  }
}
