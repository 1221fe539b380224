import type { QrSymbol } from '../encoder/encoder.ts'
import type { Raster } from '../raster.ts'

/** A row is stored as the difference from the row above (ISO/IEC 15948, 9.2); those of filter 0 are stored unchanged. */
const FILTER_UP = 2

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
