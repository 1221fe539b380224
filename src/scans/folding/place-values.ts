import { OTHER } from '../text-ids.ts'
import type { Counts } from './increments.ts'

/** Distinct values of a link, a period and a dimension that are counted apart; scans with further values count as `(other)`. */
export const MAX_VALUES = 200

/**
 * How many values with as many scans as the least frequent ones take the place of one of these in a fold: so a value that comes
 * late but often is counted apart soon, and a flood of values that come once costs few writes.
 */
const MAX_TIES = 8

/** A value that has no row yet, and the scans to add. */
export interface NewValue {
  value: number
  counts: Counts
}

/** A value that has a row. */
export interface KnownValue {
  value: number
  scans: number
}

/** What happens to new values. */
export interface Placement {
  /** They get rows of their own. */
  own: NewValue[]
  /** They count as `(other)`. */
  others: NewValue[]
  /** Values that lose their rows, whose counts become those of `(other)`. */
  replaced: number[]
}

export const scansOf = ([humans, , bots]: Counts): number => humans + bots

/**
 * Gives rows to new values while there is room; after that, a new value that has as many scans as the least frequent known
 * one takes its place.
 */
export function placeValues(known: readonly KnownValue[], added: readonly NewValue[]): Placement {
  const placement: Placement = { own: [], others: [], replaced: [] }
  const leastFirst = known.toSorted((a, b) => a.scans - b.scans)
  let room = MAX_VALUES - known.length
  let ties = 0
  for (const each of added.toSorted((a, b) => scansOf(b.counts) - scansOf(a.counts))) {
    const least = leastFirst[0]?.scans ?? Number.POSITIVE_INFINITY
    const isTie = scansOf(each.counts) === least
    if (each.value === OTHER) placement.others.push(each)
    else if (room > 0) {
      room--
      placement.own.push(each)
    } else if (scansOf(each.counts) < least || (isTie && ties === MAX_TIES)) placement.others.push(each)
    else {
      if (isTie) ties++
      placement.own.push(each)
      placement.replaced.push(takeLeast(leastFirst, each.value))
    }
  }
  return placement
}

/** Removes one of the least frequent values: not always the same one, which may have come just now. */
function takeLeast(leastFirst: KnownValue[], seed: number): number {
  const least = leastFirst[0]?.scans
  const end = leastFirst.findIndex(({ scans }) => scans !== least)
  const [taken] = leastFirst.splice(seed % (end === -1 ? leastFirst.length : end), 1)
  return taken?.value ?? OTHER
}
