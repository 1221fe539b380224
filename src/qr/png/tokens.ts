/** The longest match (RFC 1951, 3.2.5). */
export const MAX_LENGTH = 258
const MIN_LENGTH = 3

/** The tokens of a deflate stream before coding: each is a literal byte, or a match that is repeated `counts` times. */
export interface Tokens {
  /** The length of a match; 0 for a literal. */
  lengths: number[]
  /** The distance of a match; the byte of a literal. */
  values: number[]
  counts: number[]
}

/** Collects tokens, and the checksum of the bytes that they represent, without the bytes. */
export interface TokenWriter {
  tokens: Tokens
  /** Adds `count` equal bytes. */
  run: (byte: number, count: number) => void
  /** Repeats the last `stride` bytes as `rows` more rows; all bytes except the first must be zero. */
  repeatRow: (stride: number, first: number, rows: number) => void
  /** The Adler-32 of all bytes so far (RFC 1950, 8.2). */
  adler: () => number
}

const ADLER = 65_521

export function createTokenWriter(): TokenWriter {
  const tokens: Tokens = { lengths: [], values: [], counts: [] }
  // The sum of the bytes, and the sum of that sum after each byte.
  let [sum, sums] = [1, 0]

  function push(length: number, value: number, count: number): void {
    tokens.lengths.push(length)
    tokens.values.push(value)
    tokens.counts.push(count)
  }

  function match(length: number, distance: number): void {
    const last = length % MAX_LENGTH
    // A remainder too short for a match borrows from the previous match.
    const borrowed = last > 0 && last < MIN_LENGTH && length > MAX_LENGTH ? MIN_LENGTH - last : 0
    const full = Math.floor(length / MAX_LENGTH) - (borrowed > 0 ? 1 : 0)
    if (full > 0) push(MAX_LENGTH, distance, full)
    if (borrowed > 0) push(MAX_LENGTH - borrowed, distance, 1)
    if (last > 0) push(last + borrowed, distance, 1)
  }

  return {
    tokens,
    run(byte, count) {
      sums = (sums + count * sum + byte * ((count * (count + 1)) / 2)) % ADLER
      sum = (sum + byte * count) % ADLER
      if (count > MIN_LENGTH) {
        push(0, byte, 1)
        match(count - 1, 1)
      } else {
        for (let each = 0; each < count; each++) push(0, byte, 1)
      }
    },
    repeatRow(stride, first, rows) {
      sums = (sums + stride * (rows * sum + first * ((rows * (rows + 1)) / 2))) % ADLER
      sum = (sum + first * rows) % ADLER
      if (stride * rows >= MIN_LENGTH) match(stride * rows, stride)
    },
    adler: () => ((sums << 16) | sum) >>> 0,
  }
}
