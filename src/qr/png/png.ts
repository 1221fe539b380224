import { constants, crc32, deflateSync } from 'node:zlib'
import type { QrSymbol } from '../encoder/encoder.ts'
import type { Raster } from '../raster.ts'
import type { Paint } from '../svg.ts'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** A row is stored as the difference from the row above (ISO/IEC 15948, 9.2); those of filter 0 are stored unchanged. */
const FILTER_UP = 2

/** Renders a PNG of two colours: one bit a pixel, a palette, and `tRNS` when one of them is transparent. */
export function renderPng(symbol: QrSymbol, raster: Raster, paint: Paint & { dpi?: number }): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(raster.size, 0)
  header.writeUInt32BE(raster.size, 4)
  // Bit depth 1, colour type 3 (palette); compression, filter and interlace methods 0.
  header.set([1, 3, 0, 0, 0], 8)
  const palette = [paint.background, paint.foreground]
  const isOpaque = palette.every(([, , , alpha]) => alpha === 255)
  return joinPng([
    ['IHDR', header],
    ['PLTE', Buffer.from(palette.flatMap(([red, green, blue]) => [red, green, blue]))],
    ...(isOpaque ? [] : [['tRNS', Buffer.from(palette.map(([, , , alpha]) => alpha))] as const]),
    ...(paint.dpi === undefined ? [] : [['pHYs', density(paint.dpi)] as const]),
    ['IDAT', imageData(symbol, raster)],
    ['IEND', Buffer.alloc(0)],
  ])
}

/**
 * Up to these sizes, zlib's search costs little and makes smaller files: all of it, or the short one. Above, what it finds are
 * runs, which `Z_RLE` finds in a fraction of the time (docs/adr/0010).
 */
const [MAX_SEARCHED, MAX_SHORTLY_SEARCHED] = [700, 1024]

function imageData(symbol: QrSymbol, raster: Raster): Buffer {
  const level = raster.size <= MAX_SEARCHED ? 6 : 2
  const strategy = raster.size <= MAX_SHORTLY_SEARCHED ? constants.Z_DEFAULT_STRATEGY : constants.Z_RLE
  return deflateSync(paintRows(symbol, raster), { level, strategy })
}

const METRES_PER_INCH = 0.0254

/** The data of a `pHYs` chunk: pixels per metre (ISO/IEC 15948, 11.3.5.3). */
export function density(dpi: number): Buffer {
  const data = Buffer.alloc(9)
  const perMetre = Math.round(dpi / METRES_PER_INCH)
  data.writeUInt32BE(perMetre, 0)
  data.writeUInt32BE(perMetre, 4)
  data[8] = 1
  return data
}

/** Joins chunks to a PNG file. */
export function joinPng(chunks: (readonly [type: string, data: Buffer])[]): Buffer {
  const size = chunks.reduce((sum, [, data]) => sum + data.length + 12, signature.length)
  const file = Buffer.allocUnsafe(size)
  let at = signature.copy(file)
  for (const [type, data] of chunks) {
    file.writeUInt32BE(data.length, at)
    file.write(type, at + 4, 'latin1')
    data.copy(file, at + 8)
    const end = at + 8 + data.length
    file.writeUInt32BE(crc32(file.subarray(at + 4, end)), end)
    at = end + 4
  }
  return file
}

/** Inserts a chunk after the header of a PNG file. */
export function insertChunk(file: Buffer, type: string, data: Buffer): Buffer {
  // The signature, and the header with its length, type and checksum.
  const start = 8 + 25
  const chunk = joinPng([[type, data]]).subarray(8)
  return Buffer.concat([file.subarray(0, start), chunk, file.subarray(start)])
}

/**
 * Paints the filtered rows of an image of one bit a pixel: one row for each row of modules, and its repetitions, which are
 * zeros except for the filter byte.
 */
export function paintRows({ size: modules, modules: dark }: QrSymbol, { size, scale, offset }: Raster): Buffer {
  const stride = 1 + Math.ceil(size / 8)
  const rows = Buffer.alloc(stride * size)
  for (let y = 0; y < modules; y++) {
    const top = (offset + y * scale) * stride
    for (let x = 0; x < modules; x++) {
      if (dark[y * modules + x] === 0) continue
      const left = offset + x * scale
      for (let pixel = left; pixel < left + scale; pixel++) {
        const at = top + 1 + (pixel >> 3)
        rows[at] = (rows[at] ?? 0) | (0x80 >> (pixel & 7))
      }
    }
    for (let repeat = 1; repeat < scale; repeat++) rows[top + repeat * stride] = FILTER_UP
  }
  return rows
}
