import type { Bits } from './layout.ts'

// ISO/IEC 18004, 7.8.3: what makes a symbol hard to read, and its price. 32 modules are looked at with one operation.
const RUN = 3
const BLOCK = 3
const FINDER = 40
const BALANCE = 10

/**
 * The penalty score of a masked symbol, whose least is the best mask; Infinity once it is no less than `bound`. The
 * quiet zone counts as light where a pattern that looks like a finder's reaches the edge.
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
  // A run of n has n - 4 places where a fifth module ends, and costs n - 2.
  return excess + runs * (RUN - 1) + finders * FINDER
}

/** How many of the patterns that end in this line have four light modules before or after. */
function finderCount(lines: Int32Array, finder: number, at: number, words: number): number {
  // Outside the symbol there is nothing, and so light.
  const dark = (offset: number) => lines[at + offset * words] ?? 0
  const before = dark(-7) | dark(-8) | dark(-9) | dark(-10)
  const after = dark(1) | dark(2) | dark(3) | dark(4)
  return ones(finder & ~before) + ones(finder & ~after)
}

/** Squares of two by two modules of one colour, overlapping ones as well. */
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

/** Each full 5 % that the share of dark modules is away from half. */
function balancePenalty(rows: Int32Array, size: number): number {
  let dark = 0
  for (const word of rows) dark += ones(word)
  return Math.floor((Math.abs(dark * 2 - size * size) * 10) / (size * size)) * BALANCE
}

/** The bits that are set in a word: counted in twos, fours and eights, then added up by a product. */
function ones(word: number): number {
  const twos = word - ((word >>> 1) & 0x55555555)
  const fours = (twos & 0x33333333) + ((twos >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
