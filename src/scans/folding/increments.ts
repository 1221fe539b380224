import { dayOf, monthOf, slotOf, startOfDay } from '../calendar.ts'
import { dimensionNames, isSparse, listValues } from '../../dimensions/dimensions.ts'
import { UNKNOWN } from '../text-ids.ts'
import type { FoldedScan } from '../scan.ts'

/** Scans and first-of-day scans, by audience: the columns of every rollup. */
export type Counts = [humans: number, humanFirsts: number, bots: number, botFirsts: number]

/** Counts of a period by value; dimension and value are packed into one number, for fast look-ups. */
export type Values = Map<number, Counts>

/** What to add to a link's rows of every rollup. */
export interface Increments {
  quarterHourly: Map<number, Counts>
  days: Map<number, Values>
  months: Map<number, Values>
  totals: Counts
  /** Visitors among the people who had come that day as another: the people are the visitors less these. */
  peopleAgain: number
  qr: number
  lastAt: number
}

/** Scans of one link and quarter of an hour with the same values. */
export interface Group {
  linkId: number
  at: number
  /** The ids of their values, in the order of the dimensions. */
  ids: number[]
  isQr: boolean
  counts: Counts
  /** As in `Increments`; left out when there is none. */
  peopleAgain?: number
  lastAt: number
}

/** What to add to the rows of each link; link by link, so that the counts of only one need be in memory. */
export function* incrementsByLink(groups: Iterable<Group>): Generator<[linkId: number, Increments]> {
  for (const [linkId, ofLink] of Map.groupBy(groups, (group) => group.linkId)) yield [linkId, incrementsOf(ofLink)]
}

function incrementsOf(groups: Group[]): Increments {
  const totals: Counts = [0, 0, 0, 0]
  const sums = { quarterHourly: new Map(), days: new Map(), totals, peopleAgain: 0, qr: 0, lastAt: 0 }
  for (const { at, ids, counts, peopleAgain = 0, isQr, lastAt } of groups) {
    addTo(sums.quarterHourly, slotOf(at), counts)
    let values = sums.days.get(dayOf(at))
    if (values === undefined) sums.days.set(dayOf(at), (values = new Map()))
    for (let dimension = 0; dimension < ids.length; dimension++) {
      const value = ids[dimension] ?? UNKNOWN
      if (value === UNKNOWN && isSparse[dimension] === true) continue
      addTo(values, packKey(dimension, value), counts)
    }
    addCounts(sums.totals, counts)
    sums.peopleAgain += peopleAgain
    if (isQr) sums.qr += counts[0] + counts[2]
    sums.lastAt = Math.max(sums.lastAt, lastAt)
  }
  return { ...sums, months: monthsOf(sums.days) }
}

/** The key of a value in `Values`. */
export function packKey(dimension: number, value: number): number {
  return value * dimensionNames.length + dimension
}

/** The dimension and the value of a key of `Values`. */
export function unpackKey(key: number): [dimension: number, value: number] {
  const dimension = key % dimensionNames.length
  return [dimension, (key - dimension) / dimensionNames.length]
}

/** Sums the days' counts by month. Nearly always there is one day, whose counts are the month's. */
function monthsOf(days: Map<number, Values>): Map<number, Values> {
  const months = new Map<number, Values>()
  for (const [day, values] of days) {
    const month = monthOf(startOfDay(day))
    const sums = months.get(month)
    if (sums === undefined) months.set(month, days.size === 1 ? values : copyOf(values))
    else for (const [key, counts] of values) addTo(sums, key, counts)
  }
  return months
}

function copyOf(values: Values): Values {
  return new Map(Array.from(values, ([key, counts]) => [key, [...counts]]))
}

/** Groups scans, and calls back for each scan with the ids of its values. */
export function groupScans(
  scans: FoldedScan[],
  idsOf: (scan: FoldedScan) => number[],
  each: (scan: FoldedScan, ids: number[]) => void,
): Iterable<Group> {
  const groups = new Map<string, Group>()
  for (const scan of scans) {
    const { linkId, at } = scan
    const key = `${linkId}|${slotOf(at)}|${listValues(scan).join('|')}`
    let group = groups.get(key)
    if (group === undefined) {
      group = { linkId, at, ids: idsOf(scan), isQr: scan.source === 'qr', counts: [0, 0, 0, 0], lastAt: at }
      groups.set(key, group)
    }
    count(group.counts, scan)
    const { bot, first, person = first } = scan
    if (!bot) group.peopleAgain = (group.peopleAgain ?? 0) + Number(first) - Number(person)
    group.lastAt = Math.max(group.lastAt, at)
    each(scan, group.ids)
  }
  return groups.values()
}

export function addCounts(counts: Counts, more: Counts): void {
  counts[0] += more[0]
  counts[1] += more[1]
  counts[2] += more[2]
  counts[3] += more[3]
}

/** Adds counts to those of a key. */
export function addTo(sums: Map<number, Counts>, key: number, counts: Counts): void {
  const sum = sums.get(key)
  if (sum === undefined) sums.set(key, [...counts])
  else addCounts(sum, counts)
}

/** The counts of one scan. */
export function countsOf(scan: FoldedScan): Counts {
  const counts: Counts = [0, 0, 0, 0]
  count(counts, scan)
  return counts
}

function count(counts: Counts, { bot, first }: FoldedScan): void {
  counts[bot ? 2 : 0]++
  if (first) counts[bot ? 3 : 1]++
}
