import type { QrSymbol } from '../encoder/encoder.ts'
import type { Raster } from '../raster.ts'
import { createTokenWriter, type TokenWriter } from './tokens.ts'

// Filters (ISO/IEC 15948, 9.2): a row is stored unchanged, or as the difference from the row above.
const FILTER_NONE = 0
const FILTER_UP = 2

/**
 * Tokenizes the filtered rows of an image of one bit a pixel: one row for each row of modules, and its repetitions, which
 * are zeros except for the filter byte.
 */
export function tokenizeRows({ size: modules, modules: dark }: QrSymbol, raster: Raster): TokenWriter {
  const { size, scale, offset } = raster
  const stride = 1 + Math.ceil(size / 8)
  const writer = createTokenWriter()
  // The quiet zone has the palette's first colour, so its rows are zeros.
  writer.run(FILTER_NONE, offset * stride)
  for (let y = 0; y < modules; y++) {
    writeRow(writer, dark.subarray(y * modules, (y + 1) * modules), raster)
    if (scale === 1) continue
    writer.run(FILTER_UP, 1)
    writer.run(0, stride - 1)
    writer.repeatRow(stride, FILTER_UP, scale - 2)
  }
  writer.run(FILTER_NONE, (size - offset - modules * scale) * stride)
  return writer
}

/** Writes the bytes of a row of pixels as runs. */
function writeRow(writer: TokenWriter, row: Uint8Array, { size, scale, offset }: Raster): void {
  let [byte, run] = [FILTER_NONE, 1]
  const append = (next: number, count: number) => {
    if (count === 0) return
    if (next === byte) run += count
    else {
      writer.run(byte, run)
      byte = next
      run = count
    }
  }
  // The number of bytes written, and the bits of the incomplete next one.
  let [at, partial] = [0, 0]
  for (let x = 0; x < row.length; x++) {
    if (row[x] === 0) continue
    const left = offset + x * scale
    while (row[x + 1] === 1) x++
    const right = offset + (x + 1) * scale
    if (left >> 3 > at) {
      append(partial, 1)
      append(0, (left >> 3) - at - 1)
      ;[at, partial] = [left >> 3, 0]
    }
    const leading = 0xff >> (left & 7)
    const trailing = 0xff & ~(0xff >> (right & 7))
    if (right >> 3 === at) partial |= leading & trailing
    else {
      append(partial | leading, 1)
      append(0xff, (right >> 3) - at - 1)
      ;[at, partial] = [right >> 3, trailing]
    }
  }
  const bytes = Math.ceil(size / 8)
  if (at < bytes) {
    append(partial, 1)
    append(0, bytes - at - 1)
  }
  writer.run(byte, run)
}

/** Returns the same rows as bytes. */
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
