import { layOut } from '../encoder/layout.ts'
import { blocksOf } from '../encoder/tables.ts'
import type { QrSymbol } from '../encoder/encoder.ts'
import { isInHole, type Hole } from './shapes.ts'

/**
 * The share of the error correction that a hole uses up, which may exceed 1: in the worst block, the codewords that it
 * touches, divided by those that can be restored (ISO/IEC 18004, 7.5.1: half of the correction codewords).
 */
export function damageOf({ version, level }: QrSymbol, hole: Hole): number {
  const { count, correction, data, total } = blocksOf(version, level)
  const touched = new Uint8Array(total)
  for (const [bit, place] of layOut(version).places.entries()) {
    if (bit >> 3 < total && isInHole(place & 255, place >> 8, hole)) touched[bit >> 3] = 1
  }
  const perBlock = new Uint16Array(count)
  const short = Math.floor(data / count)
  const shortBlocks = count - (data % count)
  for (const [word, isTouched] of touched.entries()) {
    const isExtra = word >= short * count && word < data
    const block = word >= data ? (word - data) % count : isExtra ? shortBlocks + word - short * count : word % count
    perBlock[block] = (perBlock[block] ?? 0) + isTouched
  }
  return Math.max(...perBlock) / Math.floor(correction / 2)
}
