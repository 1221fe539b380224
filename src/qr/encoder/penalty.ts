import type { Bits } from './layout.ts'

// The penalties of ISO/IEC 18004, 7.8.3. One operation compares 32 modules.
const RUN = 3
const BLOCK = 3
const FINDER = 40
const BALANCE = 10

/**
 * The penalty score of a masked symbol, or Infinity once it reaches `bound`; the mask with the lowest score is best. The
 * quiet zone counts as light where a pattern like a finder's reaches the edge.
 */
export function penaltyOf(bits: Bits, bound: number): number {
  const { size, words, rows, columns } = bits
  const upright = linesPenalty(rows, bits) + balancePenalty(rows, size)
  if (upright >= bound) return Infinity
  const total = upright + linesPenalty(columns, bits) + blocksPenalty(rows, size, words)
  return total < bound ? total : Infinity
}

/** Runs of five and more of a colour, and patterns like a finder's, across lines: in columns when lines are rows. */
function linesPenalty(lines: Int32Array, { size, words }: Bits): number {
  let [excess, runs, finders] = [0, 0, 0]
  for (let word = 0; word < words; word++) {
    const left = size - word * 32
    const valid = left >= 32 ? -1 : (1 << left) - 1
    // The last six lines, and of the last lines whether a module equals the one before, two pairs of that, five of it.
    let [a, b, c, d, e, f] = [0, 0, 0, 0, 0, 0]
    let [same, pair, pairBefore, five] = [0, 0, 0, 0]
    for (let line = 0, at = word; line < size; line++, at += words) {
      const now = lines[at] ?? 0
      const sameNow = line === 0 ? 0 : ~(now ^ a) & valid
      const pairNow = sameNow & same
      const fiveNow = pairNow & pairBefore
      excess += ones(fiveNow)
      runs += ones(fiveNow & ~five)
      five = fiveNow
      pairBefore = pair
      pair = pairNow
      same = sameNow
      // Dark, light, three dark, light, dark.
      const finder = now & ~a & b & c & d & ~e & f
      if (finder !== 0) finders += finderCount(lines, finder, at, words)
      f = e
      e = d
      d = c
      c = b
      b = a
      a = now
    }
  }
  // A run of n modules counts n - 4 times in `excess`, and costs n - 2.
  return excess + runs * (RUN - 1) + finders * FINDER
}

/** Counts the patterns ending in this line that have four light modules before or after. */
function finderCount(lines: Int32Array, finder: number, at: number, words: number): number {
  // Outside the symbol everything is light.
  const dark = (offset: number) => lines[at + offset * words] ?? 0
  const before = dark(-7) | dark(-8) | dark(-9) | dark(-10)
  const after = dark(1) | dark(2) | dark(3) | dark(4)
  return ones(finder & ~before) + ones(finder & ~after)
}

/** Penalizes squares of two by two modules of one colour, also overlapping ones. */
function blocksPenalty(rows: Int32Array, size: number, words: number): number {
  let blocks = 0
  for (let word = 0; word < words; word++) {
    const left = size - 1 - word * 32
    const valid = left >= 32 ? -1 : (1 << left) - 1
    let [above, sameAbove] = [0, 0]
    for (let at = word; at < rows.length; at += words) {
      const now = rows[at] ?? 0
      const next = word + 1 < words ? (rows[at + 1] ?? 0) : 0
      const same = ~(now ^ ((now >>> 1) | (next << 31))) & valid
      blocks += ones(same & sameAbove & ~(now ^ above))
      above = now
      sameAbove = same
    }
  }
  return blocks * BLOCK
}

/** Penalizes each full 5% that the share of dark modules differs from half. */
function balancePenalty(rows: Int32Array, size: number): number {
  let dark = 0
  for (const word of rows) dark += ones(word)
  return Math.floor((Math.abs(dark * 2 - size * size) * 10) / (size * size)) * BALANCE
}

/** Counts the bits set in a word: in twos, fours and eights, then summed by a multiplication. */
function ones(word: number): number {
  const twos = word - ((word >>> 1) & 0x55555555)
  const fours = (twos & 0x33333333) + ((twos >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
