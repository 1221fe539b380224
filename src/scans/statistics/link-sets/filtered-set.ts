import { filteredRows, planReading, type RawReading } from '../filtered/filtered-rows.ts'
import { HOURS_OF_WEEK } from '../heat.ts'
import type { CountedRows, LinkQuery, LinkRows, Sources } from '../row-queries.ts'
import type { Filters } from '../stats-query.ts'
import { createValueSums } from '../value-sums.ts'
import { earlierWindows, type Windows } from '../windows.ts'
import { dimensionNames } from '../../../dimensions/dimensions.ts'
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
        sumOfLinks(rows, [...active], { ...query, slots: [...query.slots, windows.whole] }, (id, of) => {
          const { scans: count, unique_visitors: firsts } = ofAudience(of.slots.pop() ?? NONE, query.audience)
          links.set([count, firsts], (places.get(id) ?? 0) * 2)
        }),
      ofLinks: rows.ofLinks,
      texts: rows.texts,
    },
  }
}

const NONE = { humans: 0, humanFirsts: 0, bots: 0, botFirsts: 0 }

/** Sums the counts of links. */
async function sumOfLinks(
  rows: CountedRows,
  ids: number[],
  query: LinkQuery,
  each: (id: number, of: LinkRows) => void,
): Promise<LinkRows> {
  const sum: LinkRows = {
    slots: query.slots.slice(0, -1).map(() => ({ ...NONE })),
    values: createValueSums(),
    earlier: query.earlier.map(() => ({ qr: 0, link: 0 })),
    heat: Array.from({ length: query.heat.length === 0 ? 0 : HOURS_OF_WEEK }, () => 0),
    missing: 0,
    behindMs: 0,
  }
  for (const id of ids) {
    const of = await rows.ofLink(id, query)
    each(id, of)
    addRows(sum, of)
  }
  return sum
}

function addRows(sum: LinkRows, of: LinkRows): void {
  for (const [at, total] of sum.slots.entries())
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += of.slots[at]?.[name] ?? 0
  for (const dimension of dimensionNames.keys())
    for (const [value, { scans, firsts }] of of.values.of(dimension)) sum.values.add(dimension, value, scans, firsts)
  for (const [at, sources] of sum.earlier.entries()) addSources(sources, of.earlier[at])
  for (const hour of sum.heat.keys()) sum.heat[hour] = (sum.heat[hour] ?? 0) + (of.heat[hour] ?? 0)
  sum.missing += of.missing
  sum.behindMs = Math.max(sum.behindMs, of.behindMs)
}

function addSources(sum: Sources, { qr, link }: Sources = { qr: 0, link: 0 }): void {
  sum.qr += qr
  sum.link += link
}
