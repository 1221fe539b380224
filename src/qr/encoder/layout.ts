import { alignmentCenters, sizeOf, type Level } from './tables.ts'

/**
 * Modules packed into words, one bit each, the lowest bit leftmost; both by rows and by columns, because comparing
 * neighbours is cheap across words and expensive within one.
 */
export interface Bits {
  size: number
  /** Words of a line. */
  words: number
  rows: Int32Array
  columns: Int32Array
}

export function emptyBits(size: number): Bits {
  const words = Math.ceil(size / 32)
  return { size, words, rows: new Int32Array(size * words), columns: new Int32Array(size * words) }
}

export function setBit({ words, rows, columns }: Bits, x: number, y: number): void {
  const row = y * words + (x >> 5)
  const column = x * words + (y >> 5)
  rows[row] = (rows[row] ?? 0) | (1 << (x & 31))
  columns[column] = (columns[column] ?? 0) | (1 << (y & 31))
}

function isSet({ words, rows }: Bits, x: number, y: number): boolean {
  return (((rows[y * words + (x >> 5)] ?? 0) >> (x & 31)) & 1) === 1
}

/** Everything about a version that does not depend on what is encoded. */
export interface Layout {
  /** The dark modules of the function patterns and of the version information. */
  fixed: Bits
  /** The positions of the codewords' bits in their order (7.7.3), as `y * 256 + x`. */
  places: Uint16Array
  /** The positions of the format information (7.9.1, figure 25), the 15 bits twice, from the lowest up. */
  formatPlaces: Uint16Array
  /** The codeword modules that each mask (7.8.2, table 10) inverts. */
  masks: Bits[]
}

export function layOut(version: number): Layout {
  const size = sizeOf(version)
  const fixed = emptyBits(size)
  const reserved = emptyBits(size)
  const draw = (x: number, y: number, dark: boolean) => {
    setBit(reserved, x, y)
    if (dark) setBit(fixed, x, y)
  }
  for (const center of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    drawRings(size, center, finder, draw)
  for (let at = 8; at < size - 8; at++) {
    draw(at, 6, at % 2 === 0)
    draw(6, at, at % 2 === 0)
  }
  drawAlignment(version, draw)
  if (version >= 7) drawVersion(version, draw)
  // The dark module, and room for the format information.
  draw(8, size - 8, true)
  const formatPlaces = formatPlacesOf(size)
  for (const place of formatPlaces) setBit(reserved, place & 255, place >> 8)

  const places = walk(size, reserved)
  const masks = maskFormulas.map((inverts) => {
    const mask = emptyBits(size)
    for (const place of places) if (inverts(place & 255, place >> 8)) setBit(mask, place & 255, place >> 8)
    return mask
  })
  return { fixed, places, formatPlaces, masks }
}

type Draw = (x: number, y: number, dark: boolean) => void

/** Draws square rings around a centre, each dark or light from the inside out, clipped to the symbol. */
function drawRings(size: number, center: readonly [x: number, y: number], rings: boolean[], draw: Draw): void {
  const radius = rings.length - 1
  const range = (at: number) => [Math.max(0, at - radius), Math.min(size - 1, at + radius)] as const
  const [[left, right], [top, bottom]] = [range(center[0]), range(center[1])]
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= right; x++) {
      draw(x, y, rings[Math.max(Math.abs(x - center[0]), Math.abs(y - center[1]))] ?? false)
    }
  }
}

/** A finder pattern with its separator. */
const finder = [true, true, false, true, false]
const alignment = [true, false, true]

function drawAlignment(version: number, draw: Draw): void {
  const centers = alignmentCenters(version)
  const [first, last] = [centers[0], centers.at(-1)]
  for (const y of centers) {
    for (const x of centers) {
      // Three of the corners have finder patterns.
      const isTaken = (x === first && (y === first || y === last)) || (x === last && y === first)
      if (!isTaken) drawRings(sizeOf(version), [x, y], alignment, draw)
    }
  }
}

/** 18 bits in a block of 6 by 3, twice (7.10). */
function drawVersion(version: number, draw: Draw): void {
  const bits = (version << 12) | checksum(version, 0x1f25, 12)
  for (let at = 0; at < 18; at++) {
    const [long, short] = [Math.floor(at / 3), sizeOf(version) - 11 + (at % 3)]
    draw(long, short, ((bits >> at) & 1) === 1)
    draw(short, long, ((bits >> at) & 1) === 1)
  }
}

function formatPlacesOf(size: number): Uint16Array {
  const [column, row] = [8, 8 * 256]
  return Uint16Array.from([
    // Down and leftwards around the first finder pattern, past the timing patterns.
    ...[0, 1, 2, 3, 4, 5, 7, 8].map((y) => y * 256 + column),
    ...[7, 5, 4, 3, 2, 1, 0].map((x) => row + x),
    // Below the second, and beside the third.
    ...Array.from({ length: 8 }, (_, at) => row + size - 1 - at),
    ...Array.from({ length: 7 }, (_, at) => (size - 7 + at) * 256 + column),
  ])
}

/** The 15 bits of the format information: level and mask (7.9). */
export function formatBits(level: Level, mask: number): number {
  const data = ({ L: 1, M: 0, Q: 3, H: 2 }[level] << 3) | mask
  return ((data << 10) | checksum(data, 0x537, 10)) ^ 0x5412
}

/** The check bits of a BCH code: the remainder of the data, shifted up, by the generator. */
function checksum(data: number, generator: number, bits: number): number {
  let remainder = data
  for (let step = 0; step < bits; step++) remainder = (remainder << 1) ^ ((remainder >> (bits - 1)) & 1 ? generator : 0)
  return remainder & ((1 << bits) - 1)
}

/** Walks two columns at a time from the right, alternately up and down, without the timing column. */
function walk(size: number, reserved: Bits): Uint16Array {
  const places: number[] = []
  let upwards = true
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
    for (let step = 0; step < size * 2; step++) {
      const x = right - (step & 1)
      const y = upwards ? size - 1 - (step >> 1) : step >> 1
      if (!isSet(reserved, x, y)) places.push(y * 256 + x)
    }
    upwards = !upwards
  }
  return Uint16Array.from(places)
}

const maskFormulas: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]
