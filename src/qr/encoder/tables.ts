/** Error-correction levels (ISO/IEC 18004, 6.5.1): about 7, 15, 25 and 30% of the symbol may be damaged. */
export type Level = 'L' | 'M' | 'Q' | 'H'

export const levels = ['L', 'M', 'Q', 'H'] as const satisfies Level[]

export const MAX_VERSION = 40

/** Modules on a side of a version. */
export function sizeOf(version: number): number {
  return version * 4 + 17
}

// ISO/IEC 18004, table 9, by version from 1: the blocks into which codewords are divided, and each one's share of
// error-correction codewords.
const blockCounts: Record<Level, readonly number[]> = {
  L: numbers('1 1 1 1 1 2 2 2 2 4 4 4 4 4 6 6 6 6 7 8 8 9 9 10 12 12 12 13 14 15 16 17 18 19 19 20 21 22 24 25'),
  M: numbers(
    '1 1 1 2 2 4 4 4 5 5 5 8 9 9 10 10 11 13 14 16 17 17 18 20 21 23 25 26 28 29 31 33 35 37 38 40 43 45 47 49',
  ),
  Q: numbers(
    '1 1 2 2 4 4 6 6 8 8 8 10 12 16 12 17 16 18 21 20 23 23 25 27 29 34 34 35 38 40 43 45 48 51 53 56 59 62 65 68',
  ),
  H: numbers(
    '1 1 2 4 4 4 5 6 8 8 11 11 16 16 18 16 19 21 25 25 25 34 30 32 35 37 40 42 45 48 51 54 57 60 63 66 70 74 77 81',
  ),
}
const correctionLengths: Record<Level, readonly number[]> = {
  L: numbers(
    '7 10 15 20 26 18 20 24 30 18 20 24 26 30 22 24 28 30 28 28 28 28 30 30 26 28 30 30 30 30 30 30 30 30 30 30 30 30 30 30',
  ),
  M: numbers(
    '10 16 26 18 24 16 18 22 22 26 30 22 22 24 24 28 28 26 26 26 26 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28',
  ),
  Q: numbers(
    '13 22 18 26 18 24 18 22 20 24 28 26 24 20 30 24 28 28 26 30 28 30 30 30 30 28 30 30 30 30 30 30 30 30 30 30 30 30 30 30',
  ),
  H: numbers(
    '17 28 22 16 22 28 26 26 24 28 24 28 22 24 24 30 28 28 26 28 30 24 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30',
  ),
}

function numbers(text: string): number[] {
  return text.split(' ').map(Number)
}

/** How the codewords of a symbol are divided into blocks. */
export interface Blocks {
  count: number
  /** Error-correction codewords of each block. */
  correction: number
  /** Codewords of all blocks, data and error correction. */
  total: number
  /** Data codewords of all blocks. */
  data: number
}

export function blocksOf(version: number, level: Level): Blocks {
  const count = blockCounts[level][version - 1] ?? 0
  const correction = correctionLengths[level][version - 1] ?? 0
  const total = Math.floor(dataModules(version) / 8)
  return { count, correction, total, data: total - count * correction }
}

/** Modules that carry codewords: all except those of the function patterns. */
function dataModules(version: number): number {
  const size = sizeOf(version)
  const finders = 3 * 8 * 8
  const timing = 2 * (size - 16)
  const format = 31
  const aligned = alignmentCenters(version).length
  // Three corners of the grid have finder patterns; alignment patterns on a timing pattern share five modules with it.
  const alignment = aligned === 0 ? 0 : (aligned ** 2 - 3) * 25 - 2 * (aligned - 2) * 5
  const versionInformation = version < 7 ? 0 : 36
  return size * size - finders - timing - format - alignment - versionInformation
}

/** Rows, and likewise columns, of the centres of alignment patterns (ISO/IEC 18004, annex E). */
export function alignmentCenters(version: number): number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const last = sizeOf(version) - 7
  // At equal, even distances from the far edge; for version 32 the standard rounds the other way.
  const step = version === 32 ? 26 : 2 * Math.ceil((last - 6) / (count - 1) / 2)
  return [6, ...Array.from({ length: count - 1 }, (_, at) => last - (count - 2 - at) * step)]
}
