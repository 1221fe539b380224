import { streamSafe } from '../lib/stream-safe.ts'
import type { MemberKey } from './listing-store.ts'

/** By what a list is sorted. */
export type Sort = 'created' | 'title' | 'scans'

/** The place of a link in a list: what it is sorted by, and its id, so that no two are equal. */
export interface Place {
  /** Milliseconds since 1970, scans, or the title, which is null for a link without one. */
  value: number | string | null
  id: number
}

export function placeOf({ id, createdAt, title }: MemberKey, sort: Exclude<Sort, 'scans'>): Place {
  return { value: sort === 'title' ? title : createdAt, id }
}

// The same order on every node and for every reader: “Table 2” before “Table 10”, “Äpfel” beside “apple”.
const titles = new Intl.Collator('en', { numeric: true })

/** Compares the places of two links in ascending order. Links without a title follow those with one. */
export function comparePlaces(one: Place, other: Place): number {
  return compareValues(one.value, other.value) || one.id - other.id
}

function compareValues(one: Place['value'], other: Place['value']): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  // Titles that the collator takes for equal still have an order of their own.
  return titles.compare(streamSafe(String(one)), streamSafe(String(other))) || (one < other ? -1 : Number(one > other))
}

/**
 * Keeps the first of many links, without holding or sorting the others.
 * @param most how many
 * @param compare their order
 */
export function createRanking(most: number, compare: (one: Place, other: Place) => number) {
  const first: Place[] = []
  return {
    first,
    add(place: Place): void {
      const last = first.at(-1)
      if (first.length === most && last !== undefined && compare(last, place) <= 0) return
      first.splice(positionOf(place), 0, place)
      if (first.length > most) first.pop()
    },
  }

  function positionOf(place: Place): number {
    let [from, to] = [0, first.length]
    while (from < to) {
      const middle = (from + to) >> 1
      const there = first[middle]
      if (there !== undefined && compare(there, place) < 0) from = middle + 1
      else to = middle
    }
    return from
  }
}
