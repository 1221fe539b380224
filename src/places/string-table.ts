import { randomInt } from 'node:crypto'

/** Distinct texts, numbered in the order of their insertion. */
export interface StringTable {
  /** Returns the number of a text, and inserts it if it is new. */
  numberOf: (text: string) => number
  textOf: (number: number) => string
  count: () => number
}

/** A hash table outside of the heap, in a fifth of the memory of a map of strings. */
export function createStringTable(): StringTable {
  const texts = createTextStore()
  // Random, so that nobody can choose texts that collide.
  const seed = randomInt(2 ** 31)
  /** Numbers plus 1, by hash; at least half of the slots are free. */
  let slots = new Uint32Array(2 ** 13)
  let count = 0

  /** The slot of a text: the one that holds an equal one, or the free one to insert it. */
  function slotOf(number: number): number {
    const hash = texts.hash(number, seed)
    let slot = (hash ^ (hash >>> 15)) & (slots.length - 1)
    while (slots[slot] !== 0) {
      if (texts.areEqual((slots[slot] ?? 0) - 1, number)) return slot
      slot = (slot + 1) & (slots.length - 1)
    }
    return slot
  }

  function grow(): void {
    slots = new Uint32Array(slots.length * 2)
    for (let number = 0; number < count; number++) slots[slotOf(number)] = number + 1
  }

  return {
    numberOf(text) {
      // Overwritten by the next text, unless it is new.
      texts.write(count, text)
      const slot = slotOf(count)
      const found = slots[slot] ?? 0
      if (found > 0) return found - 1
      slots[slot] = ++count
      if (count * 2 === slots.length) grow()
      return count - 1
    },
    textOf: texts.read,
    count: () => count,
  }
}

/** Stores texts one after the other in one buffer. */
function createTextStore() {
  let bytes = Buffer.allocUnsafeSlow(2 ** 16)
  /** The end of each text. */
  let ends = new Uint32Array(2 ** 12)
  const startOf = (number: number) => (number === 0 ? 0 : (ends[number - 1] ?? 0))

  return {
    /** Writes a text after the one of the previous number. */
    write: (number: number, text: string): void => {
      const start = startOf(number)
      // No UTF-16 code unit takes more than 3 bytes.
      if (start + text.length * 3 > bytes.length) {
        const larger = Buffer.allocUnsafeSlow(bytes.length * 2 + text.length * 3)
        bytes.copy(larger, 0, 0, start)
        bytes = larger
      }
      if (number === ends.length) {
        const larger = new Uint32Array(ends.length * 2)
        larger.set(ends)
        ends = larger
      }
      ends[number] = start + bytes.write(text, start)
    },
    /** FNV-1a with a seed. */
    hash: (number: number, seed: number): number => {
      const end = ends[number] ?? 0
      let hash = seed
      for (let at = startOf(number); at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 16_777_619)
      return hash
    },
    areEqual: (a: number, b: number): boolean => bytes.compare(bytes, startOf(a), ends[a], startOf(b), ends[b]) === 0,
    read: (number: number): string => bytes.toString('utf8', startOf(number), ends[number]),
  }
}
