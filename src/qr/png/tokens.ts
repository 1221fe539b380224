/** The longest run of bytes that one match repeats (RFC 1951, 3.2.5). */
export const MAX_LENGTH = 258
const MIN_LENGTH = 3

/** What a deflate stream is made of, before it is coded: each is a literal byte, or one match so many times over. */
export interface Tokens {
  /** Bytes that each match repeats; 0 for a literal. */
  lengths: number[]
  /** How far back the repeated bytes stand; of a literal, the byte itself. */
  values: number[]
  counts: number[]
}

/** Collects tokens, and the checksum of the bytes that they stand for, without the bytes. */
export interface TokenWriter {
  tokens: Tokens
  /** So many times the same byte. */
  run: (byte: number, count: number) => void
  /** So many more rows like the last `stride` bytes, of which the first is not zero and all others are. */
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
    // What is too short for a match of its own is taken from the match before.
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
