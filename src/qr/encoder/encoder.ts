import { emptyBits, formatBits, layOut, setBit, type Bits, type Layout } from './layout.ts'
import {
  inOneSegment,
  planSegments,
  ALPHANUMERIC,
  alphanumericValue,
  BYTE,
  countBitsOf,
  indicators,
  utf8Header,
  type Plan,
} from './segments.ts'
import { blocksOf, levels, type Level } from './tables.ts'

// The penalties of ISO/IEC 18004, 7.8.3. One operation compares 32 modules.
const RUN = 3
const BLOCK = 3
const FINDER = 40
const BALANCE = 10

/** The codewords of a symbol in the order of their placement: blocks interleaved, data before error correction. */
type Codewords = (plan: Plan, level: Level) => Uint8Array

/** A QR code of ISO/IEC 18004, model 2, without its quiet zone. */
export interface QrSymbol {
  version: number
  /** The actual level: higher than requested where that needs no larger version. */
  level: Level
  mask: number
  /** Modules on a side. */
  size: number
  /** Row by row, 1 is dark. */
  modules: Uint8Array
}

export interface EncodeOptions {
  level: Level
  /** Whether to raise the level as far as the version allows. */
  boost?: boolean
  minVersion?: number
  /** Instead of the mask with the least penalty. */
  mask?: number
}

/** Encodes UTF-8 in the smallest symbol that holds it; undefined when none does. */
export type Encoder = (bytes: Uint8Array, options: EncodeOptions) => QrSymbol | undefined

/** The layout of a version, and buffers to draw in, since allocating them would take as long as drawing. */
interface Board {
  layout: Layout
  unmasked: Bits
  drafts: [Bits, Bits]
}

/** Creates an encoder, which caches the layouts of the versions that it has used. */
export function createEncoder(): Encoder {
  const codewordsOf = createCodewords()
  const boards: (Board | undefined)[] = []
  return (bytes, { level: atLeast, boost = true, minVersion = 1, mask: forced }) => {
    const plan = planSegments(bytes, atLeast, minVersion)
    if (plan === undefined) return undefined
    const { version, bits } = plan
    const fits = (level: Level) => bits <= blocksOf(version, level).data * 8
    const level = boost ? (levels.findLast(fits) ?? atLeast) : atLeast
    const board = (boards[version] ??= createBoard(version))
    place(board, codewordsOf(inOneSegment(plan, bytes, level), level))
    const { mask, drawn } =
      forced === undefined
        ? leastPenalty(board, level)
        : { mask: forced, drawn: draw(board, { level, mask: forced }, board.drafts[0]) }
    return { version, level, mask, size: drawn.size, modules: unpack(drawn) }
  }
}

function createBoard(version: number): Board {
  const layout = layOut(version)
  const empty = () => emptyBits(layout.fixed.size)
  return { layout, unmasked: empty(), drafts: [empty(), empty()] }
}

/** Draws the function patterns and the codewords. */
function place({ layout: { fixed, places }, unmasked }: Board, codewords: Uint8Array): void {
  unmasked.rows.set(fixed.rows)
  unmasked.columns.set(fixed.columns)
  for (let at = 0; at < codewords.length * 8; at++) {
    const place = places[at] ?? 0
    if (((codewords[at >> 3] ?? 0) >> (7 - (at & 7))) & 1) setBit(unmasked, place & 255, place >> 8)
  }
}

function leastPenalty(board: Board, level: Level): { mask: number; drawn: Bits } {
  let [drawn, draft] = board.drafts
  let [mask, least] = [0, Infinity]
  for (let candidate = 0; candidate < board.layout.masks.length; candidate++) {
    const penalty = penaltyOf(draw(board, { level, mask: candidate }, draft), least)
    if (penalty >= least) continue
    ;[mask, least] = [candidate, penalty]
    ;[drawn, draft] = [draft, drawn]
  }
  return { mask, drawn }
}

/** Draws the symbol with a mask and its format information. */
function draw({ layout, unmasked }: Board, format: { level: Level; mask: number }, drawn: Bits): Bits {
  const inverted = layout.masks[format.mask] ?? unmasked
  for (let at = 0; at < drawn.rows.length; at++) {
    drawn.rows[at] = (unmasked.rows[at] ?? 0) ^ (inverted.rows[at] ?? 0)
    drawn.columns[at] = (unmasked.columns[at] ?? 0) ^ (inverted.columns[at] ?? 0)
  }
  const bits = formatBits(format.level, format.mask)
  const { formatPlaces } = layout
  for (let at = 0; at < formatPlaces.length; at++) {
    const place = formatPlaces[at] ?? 0
    if ((bits >> (at % 15)) & 1) setBit(drawn, place & 255, place >> 8)
  }
  return drawn
}

function unpack({ size, words, rows }: Bits): Uint8Array {
  const modules = new Uint8Array(size * size)
  for (let y = 0, at = 0; y < size; y++) {
    for (let x = 0; x < size; x++, at++) modules[at] = ((rows[y * words + (x >> 5)] ?? 0) >>> (x & 31)) & 1
  }
  return modules
}

/** Creates a function that caches generator polynomials. */
function createCodewords(): Codewords {
  const generators = new Map<number, Uint8Array>()
  return (plan, level) => {
    const { count, correction, total, data } = blocksOf(plan.version, level)
    let generator = generators.get(correction)
    if (generator === undefined) generators.set(correction, (generator = generatorOf(correction)))
    const message = pack(plan, data)
    const codewords = new Uint8Array(total)
    // Later blocks have one more codeword when the data does not divide evenly (7.5.1).
    const short = Math.floor(data / count)
    const shortBlocks = count - (data % count)
    for (let block = 0, start = 0; block < count; block++) {
      const end = start + short + (block < shortBlocks ? 0 : 1)
      const words = message.subarray(start, end)
      for (let at = 0; at < short; at++) codewords[at * count + block] = words[at] ?? 0
      if (words.length > short) codewords[short * count + block - shortBlocks] = words[short] ?? 0
      const remainder = remainderOf(words, generator)
      for (let at = 0; at < correction; at++) codewords[data + at * count + block] = remainder[at] ?? 0
      start = end
    }
    return codewords
  }
}

/** The data codewords: headers and segments, terminator and padding (7.4.9, 7.4.10). */
function pack({ segments, saysUtf8, version }: Plan, length: number): Uint8Array {
  const words = new Uint8Array(length)
  let position = 0
  const append = (value: number, bits: number) => {
    for (let left = bits; left > 0;) {
      const room = 8 - (position & 7)
      const taken = Math.min(room, left)
      const piece = (value >>> (left - taken)) & ((1 << taken) - 1)
      words[position >> 3] = (words[position >> 3] ?? 0) | (piece << (room - taken))
      position += taken
      left -= taken
    }
  }
  if (saysUtf8) {
    append(utf8Header.indicator, 4)
    append(utf8Header.assignment, 8)
  }
  for (const { mode, bytes } of segments) {
    append(indicators[mode], 4)
    append(bytes.length, countBitsOf(mode, version))
    if (mode === BYTE) for (const byte of bytes) append(byte, 8)
    else if (mode === ALPHANUMERIC) appendAlphanumeric(bytes, append)
    else appendDigits(bytes, append)
  }
  append(0, Math.min(4, length * 8 - position))
  for (let at = Math.ceil(position / 8), pad = 0xec; at < length; at++, pad ^= 0xec ^ 0x11) words[at] = pad
  return words
}

function appendDigits(bytes: Uint8Array, append: (value: number, bits: number) => void): void {
  for (let at = 0; at < bytes.length; at += 3) {
    const group = bytes.subarray(at, at + 3)
    append(
      group.reduce((value, byte) => value * 10 + byte - 0x30, 0),
      group.length * 3 + 1,
    )
  }
}

function appendAlphanumeric(bytes: Uint8Array, append: (value: number, bits: number) => void): void {
  for (let at = 0; at < bytes.length; at += 2) {
    const first = alphanumericValue[bytes[at] ?? 0] ?? 0
    if (at + 1 === bytes.length) append(first, 6)
    else append(first * 45 + (alphanumericValue[bytes[at + 1] ?? 0] ?? 0), 11)
  }
}

// GF(256) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (7.5.2). The table of powers is doubled, so that a sum of two
// logarithms needs no reduction.
const powers = new Uint8Array(510)

const logarithms = new Uint8Array(256)

for (let exponent = 0, value = 1; exponent < 255; exponent++) {
  powers[exponent] = powers[exponent + 255] = value
  logarithms[value] = exponent
  value = (value << 1) ^ (value & 0x80 ? 0x11d : 0)
}

/** The logarithms of the coefficients, below the leading one, of (x - 1)(x - α)…(x - α^(degree - 1)). */
function generatorOf(degree: number): Uint8Array {
  const product = new Uint8Array(degree)
  product[degree - 1] = 1
  for (let root = 0; root < degree; root++) {
    for (let at = 0; at < degree; at++) {
      const value = product[at] ?? 0
      const scaled = value === 0 ? 0 : (powers[(logarithms[value] ?? 0) + root] ?? 0)
      product[at] = scaled ^ (product[at + 1] ?? 0)
    }
  }
  return product.map((value) => logarithms[value] ?? 0)
}

/** The remainder of the words, as a polynomial, divided by the generator. */
function remainderOf(words: Uint8Array, generator: Uint8Array): Uint8Array {
  const degree = generator.length
  const remainder = new Uint8Array(degree + 1)
  for (const word of words) {
    const factor = word ^ (remainder[0] ?? 0)
    if (factor === 0) {
      remainder.copyWithin(0, 1)
      continue
    }
    const logarithm = logarithms[factor] ?? 0
    for (let at = 0; at < degree; at++) {
      remainder[at] = (remainder[at + 1] ?? 0) ^ (powers[logarithm + (generator[at] ?? 0)] ?? 0)
    }
  }
  return remainder
}

/**
 * The penalty score of a masked symbol, or Infinity once it reaches `bound`; the mask with the lowest score is best. The
 * quiet zone counts as light where a pattern like a finder's reaches the edge.
 */
function penaltyOf(bits: Bits, bound: number): number {
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
