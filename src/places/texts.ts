import { randomInt } from 'node:crypto'

/** Distinct texts, numbered in the order they came. */
export interface Texts {
  numberOf: (text: string) => number
  /** Of a number that was given out. */
  textOf: (number: number) => string
  count: () => number
}

/** Keeps texts as bytes outside of the heap, in a fifth of what a map of strings takes. */
export function createTexts(): Texts {
  // So that nobody can choose texts that share a slot.
  const seed = randomInt(2 ** 31)
  let bytes = Buffer.allocUnsafeSlow(2 ** 16)
  /** Where each text ends. */
  let ends = new Uint32Array(2 ** 12)
  /** By their hashes, numbers plus 1; at least half of the slots are free. */
  let slots = new Uint32Array(ends.length * 2)
  let count = 0

  const startOf = (number: number) => (number === 0 ? 0 : (ends[number - 1] ?? 0))

  /** The slot of the bytes: the one that holds them, or the free one where they belong. */
  function slotOf(start: number, end: number): number {
    let hash = seed
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 16_777_619)
    let slot = (hash ^ (hash >>> 15)) & (slots.length - 1)
    while (slots[slot] !== 0) {
      const number = (slots[slot] ?? 0) - 1
      if (bytes.compare(bytes, startOf(number), ends[number], start, end) === 0) return slot
      slot = (slot + 1) & (slots.length - 1)
    }
    return slot
  }

  function grow(): void {
    const larger = new Uint32Array(ends.length * 2)
    larger.set(ends)
    ends = larger
    slots = new Uint32Array(ends.length * 2)
    for (let number = 0; number < count; number++) slots[slotOf(startOf(number), ends[number] ?? 0)] = number + 1
  }

  return {
    numberOf(text) {
      const start = startOf(count)
      // No character of UTF-16 takes more than 3 bytes.
      if (start + text.length * 3 > bytes.length) {
        const larger = Buffer.allocUnsafeSlow(bytes.length * 2 + text.length * 3)
        bytes.copy(larger, 0, 0, start)
        bytes = larger
      }
      const end = start + bytes.write(text, start)
      const slot = slotOf(start, end)
      const known = slots[slot] ?? 0
      if (known > 0) return known - 1
      slots[slot] = count + 1
      ends[count++] = end
      if (count === ends.length) grow()
      return count - 1
    },
    textOf: (number) => bytes.toString('utf8', startOf(number), ends[number]),
    count: () => count,
  }
}
