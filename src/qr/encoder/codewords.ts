import { ALPHANUMERIC, alphanumericValue, BYTE, countBitsOf, indicators, utf8Header, type Plan } from './segments.ts'
import { blocksOf, type Level } from './tables.ts'

/** The codewords of a symbol in the order of their placement: blocks interleaved, data before error correction. */
export type Codewords = (plan: Plan, level: Level) => Uint8Array

/** Creates a function that caches generator polynomials. */
export function createCodewords(): Codewords {
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
