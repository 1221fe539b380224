import { constants, deflateRawSync, deflateSync } from 'node:zlib'
import { joinPng } from './png.ts'

const CHANNELS = 4
const UP = 2
/** The header of a stream of zlib, with a window of 32 KiB and the usual search (RFC 1950, 2.2). */
const ZLIB_HEADER = Buffer.from([0x78, 0x9c])

/** Encodes a PNG of eight bits a channel: red, green, blue, opacity. */
export interface RgbaEncoder {
  /**
   * Adds rows. Transparent pixels are white, so that programs that ignore opacity show dark on light.
   * @param pixels row by row, colours premultiplied by their opacity; modified in place
   */
  add: (pixels: Uint8Array) => void
  /** The file, once all rows are added. */
  end: () => Buffer
}

/** Of the pixels of an image, the encoder keeps one row. */
export function createRgbaEncoder(width: number, height: number): RgbaEncoder {
  const stride = width * CHANNELS
  const packed: Buffer[] = []
  let space = Buffer.alloc(0)
  let above: Uint8Array = new Uint8Array(stride)
  let [added, checksum] = [0, 1]
  return {
    add(pixels) {
      unpremultiply(pixels)
      const length = pixels.length + pixels.length / stride
      // The same for all rows: memory that was used waits for the garbage collector.
      if (space.length < length) space = Buffer.allocUnsafe(length)
      const rows = filterUp(pixels, above, space.subarray(0, length))
      above = pixels.slice(-stride)
      added += pixels.length / stride
      const isLast = added === height
      if (isLast && packed.length === 0) return void packed.push(deflateSync(rows))
      if (packed.length === 0) packed.push(ZLIB_HEADER)
      checksum = adler32(rows, checksum)
      // Up to the last rows, the stream ends at a whole byte, where the next ones are appended.
      packed.push(deflateRawSync(rows, { finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH }))
      if (isLast) packed.push(bigEndian(checksum))
    },
    end() {
      const header = Buffer.alloc(13)
      header.writeUInt32BE(width, 0)
      header.writeUInt32BE(height, 4)
      // Bit depth 8, colour type 6 (truecolour with alpha); compression, filter and interlace methods 0.
      header.set([8, 6, 0, 0, 0], 8)
      return joinPng([
        ['IHDR', header],
        ['IDAT', Buffer.concat(packed)],
        ['IEND', Buffer.alloc(0)],
      ])
    },
  }
}

function bigEndian(checksum: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(checksum)
  return bytes
}

/** Encodes an image at once. @param pixels as `RgbaEncoder` adds them */
export function renderRgbaPng(pixels: Uint8Array, width: number, height: number): Buffer {
  const encoder = createRgbaEncoder(width, height)
  encoder.add(pixels)
  return encoder.end()
}

function unpremultiply(pixels: Uint8Array): void {
  for (let at = 0; at < pixels.length; at += CHANNELS) {
    const alpha = pixels[at + 3] ?? 0
    if (alpha === 0) pixels.fill(255, at, at + 3)
    else if (alpha < 255) {
      for (let each = at; each < at + 3; each++) pixels[each] = Math.min(255, ((pixels[each] ?? 0) * 255) / alpha)
    }
  }
}

/** Stores each row as the difference from the one above (ISO/IEC 15948, 9.2): the rows of a module are equal. */
function filterUp(pixels: Uint8Array, above: Uint8Array, rows: Buffer): Buffer {
  const stride = above.length
  for (let from = 0, to = 0; from < pixels.length; from += stride) {
    rows[to++] = UP
    const [before, start] = from === 0 ? [above, 0] : [pixels, from - stride]
    for (let at = 0; at < stride; at++) rows[to++] = (pixels[from + at] ?? 0) - (before[start + at] ?? 0)
  }
  return rows
}

const ADLER = 65_521
/** How many bytes can be added before the sums of a checksum exceed 31 bits. */
const ADLER_STEP = 3800

/** The checksum of a stream of zlib (RFC 1950, 8.2), continued from that of the bytes before. */
function adler32(bytes: Uint8Array, before: number): number {
  let [low, high] = [before & 0xffff, before >>> 16]
  for (let at = 0; at < bytes.length;) {
    for (const end = Math.min(bytes.length, at + ADLER_STEP); at < end; at++) {
      low += bytes[at] ?? 0
      high += low
    }
    low %= ADLER
    high %= ADLER
  }
  return high * 0x10000 + low
}
