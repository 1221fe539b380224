import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import type { Matrix } from './matrix.ts'
import { place, type Look } from './options.ts'

const deflateAsync = promisify(deflate)

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

// PNG (ISO/IEC 15948), 9.2: a row is stored as it is, or as its difference from the row above.
const FILTER_NONE = 0
const FILTER_UP = 2

/** A PNG of two colours: one bit a pixel, a palette of background and foreground, `tRNS` where one is transparent. */
export async function renderPng(matrix: Matrix, look: Look): Promise<Buffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(look.size, 0)
  header.writeUInt32BE(look.size, 4)
  // Bit depth 1, colour type 3 (palette); compression, filter and interlace methods 0.
  header.set([1, 3, 0, 0, 0], 8)
  const palette = [look.background, look.foreground]
  const isOpaque = palette.every(([, , , alpha]) => alpha === 255)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(([red, green, blue]) => [red, green, blue]))),
    ...(isOpaque ? [] : [chunk('tRNS', Buffer.from(palette.map(([, , , alpha]) => alpha)))]),
    chunk('IDAT', await deflateAsync(scanlines(matrix, look), { level: 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The filtered rows. A row that repeats the one above is all zeros, which costs next to nothing to compress. */
function scanlines(matrix: Matrix, look: Look): Buffer {
  const { scale, offset } = place(matrix.length, look)
  const stride = 1 + Math.ceil(look.size / 8)
  const rows = Buffer.alloc(stride * look.size)
  for (const [y, modules] of matrix.entries()) {
    const top = (offset + y * scale) * stride
    paintRow(rows.subarray(top + 1, top + stride), modules, scale, offset)
    rows[top] = FILTER_NONE
    for (let repeat = 1; repeat < scale; repeat++) rows[top + repeat * stride] = FILTER_UP
  }
  return rows
}

/** Sets a bit for each dark pixel, the leftmost pixel in the highest bit. */
function paintRow(row: Buffer, modules: readonly boolean[], scale: number, offset: number): void {
  for (const [x, dark] of modules.entries()) {
    if (!dark) continue
    const left = offset + x * scale
    for (let pixel = left; pixel < left + scale; pixel++) {
      row[pixel >> 3] = (row[pixel >> 3] ?? 0) | (0x80 >> (pixel & 7))
    }
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
