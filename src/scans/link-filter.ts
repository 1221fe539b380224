/** Ids of links in memory of a fixed size, however many there are: a Bloom filter (Bloom 1970). */
export interface LinkFilter {
  add: (linkId: number) => void
  /** Whether an id was added. Of others it says so, too, of 4 % once there are four million. */
  has: (linkId: number) => boolean
  /** Adds those of another one. */
  join: (other: LinkFilter) => void
  /** Its bits. */
  words: Uint32Array
}

/** Four MiB. */
const BITS = 2 ** 25
const WORD = 32
/** Odd, so that neighbouring ids are spread (Knuth, The Art of Computer Programming 3, 6.4). */
const FACTORS = [0x9e3779b1, 0x85ebca6b] as const

export function createLinkFilter(): LinkFilter {
  const words = new Uint32Array(BITS / WORD)
  return {
    words,
    add(linkId) {
      for (const factor of FACTORS) {
        const bit = bitOf(linkId, factor)
        words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << (bit & 31))
      }
    },
    has: (linkId) =>
      FACTORS.every((factor) => {
        const bit = bitOf(linkId, factor)
        return (((words[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 1
      }),
    join(other) {
      for (const [at, word] of other.words.entries()) words[at] = (words[at] ?? 0) | word
    },
  }
}

/** The bit of an id, of 47 bits, by the upper bits of a product. */
function bitOf(linkId: number, factor: number): number {
  const upper = Math.floor(linkId / 2 ** 32)
  return (Math.imul(linkId ^ Math.imul(upper, 0xc2b2ae35), factor) >>> 0) >>> 7
}
