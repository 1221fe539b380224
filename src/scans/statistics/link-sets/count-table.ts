/** Called with a key and its counts: scans of people, first ones of people, scans of bots, first ones of bots. */
export type EachCount = (key: number, humans: number, humanFirsts: number, bots: number, botFirsts: number) => void

/** Counts by key, in typed arrays: a `Map` of objects would need four times as much memory. */
export interface CountTable {
  /** Adds counts to those of a key; they may be negative. */
  add: EachCount
  forEach: (each: EachCount) => void
  /** Keys, those whose counts are zero included. */
  size: () => number
  bytes: () => number
}

const FREE = -1
const COUNTS = 4
const BYTES = 8 + COUNTS * 8
const FIRST_CAPACITY = 16

/** Keys and their counts, at places that depend on the key. */
interface Slots {
  keys: Float64Array
  counts: Float64Array
}

const createSlots = (capacity: number): Slots => ({
  keys: new Float64Array(capacity).fill(FREE),
  counts: new Float64Array(capacity * COUNTS),
})

/** Where a key is, or would be. */
function placeOf({ keys }: Slots, key: number): number {
  const last = keys.length - 1
  // Neighbouring keys are spread: those of one value differ by its dimension only.
  let place = Math.imul(key % 0x7fffffff, 0x9e3779b1) & last
  while (keys[place] !== FREE && keys[place] !== key) place = (place + 1) & last
  return place
}

/** The same in twice as many places. */
function grow({ keys, counts }: Slots): Slots {
  const larger = createSlots(keys.length * 2)
  for (const [at, key] of keys.entries()) {
    if (key === FREE) continue
    const place = placeOf(larger, key)
    larger.keys[place] = key
    larger.counts.set(counts.subarray(at * COUNTS, (at + 1) * COUNTS), place * COUNTS)
  }
  return larger
}

/** Creates a table with open addressing, which is at most three quarters full. Keys are integers from 0 to 2^53. */
export function createCountTable(): CountTable {
  /** None until the first key: a year has many days without scans. */
  let slots = createSlots(0)
  let size = 0

  return {
    add(key, humans, humanFirsts, bots, botFirsts) {
      if (slots.keys.length === 0) slots = createSlots(FIRST_CAPACITY)
      let place = placeOf(slots, key)
      if (slots.keys[place] === FREE) {
        if (++size * 4 > slots.keys.length * 3) {
          slots = grow(slots)
          place = placeOf(slots, key)
        }
        slots.keys[place] = key
      }
      const { counts } = slots
      const at = place * COUNTS
      counts[at] = (counts[at] ?? 0) + humans
      counts[at + 1] = (counts[at + 1] ?? 0) + humanFirsts
      counts[at + 2] = (counts[at + 2] ?? 0) + bots
      counts[at + 3] = (counts[at + 3] ?? 0) + botFirsts
    },
    forEach(each) {
      const { keys, counts } = slots
      for (let place = 0; place < keys.length; place++) {
        const key = keys[place] ?? FREE
        if (key === FREE) continue
        const at = place * COUNTS
        each(key, counts[at] ?? 0, counts[at + 1] ?? 0, counts[at + 2] ?? 0, counts[at + 3] ?? 0)
      }
    },
    size: () => size,
    bytes: () => slots.keys.length * BYTES,
  }
}
