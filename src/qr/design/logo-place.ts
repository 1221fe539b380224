import { invalidRequest } from '../../http/problem.ts'
import type { EncodeText, QrSymbol } from '../matrix.ts'
import { levels } from '../encoder/tables.ts'
import { damageOf } from './damage.ts'
import { leastVersion } from './eyes.ts'
import type { Hole } from './shapes.ts'
import type { Style } from './style.ts'

/** A symbol, and where its logo lies. */
export interface Marked {
  symbol: QrSymbol
  hole: Hole | undefined
  /** The share of the error correction that the logo uses up. */
  damage: number
}

/** What a logo may use up of the error correction; the rest is for scratches, folds and bad light. */
const MAX_DAMAGE = 0.6

/**
 * Encodes a text at the lowest level that leaves enough error correction beside the logo.
 * @param at the pointer of the design in the request, for the errors
 * @throws {Problem} 400 when the text does not fit, or no level can bear the logo
 */
export function encodeAround(
  encode: EncodeText,
  text: string,
  { logo, level, eyeFrame }: Pick<Style, 'logo' | 'level' | 'eyeFrame'>,
  { boost, at }: { boost: boolean; at: string },
): Marked {
  const options = { boost, minVersion: leastVersion(eyeFrame) }
  if (logo === undefined) return { symbol: encode(text, { ...options, level }), hole: undefined, damage: 0 }
  for (const each of levels.slice(levels.indexOf(level))) {
    const marked = mark(encode(text, { ...options, level: each }), logo.size, logo.image.ratio)
    if (marked.damage <= MAX_DAMAGE) return marked
  }
  const most = largestSize(encode(text, { ...options, level: 'H' }), logo.image.ratio)
  const detail = `covers more than error correction can restore: must be at most ${most} for this data and image`
  throw invalidRequest([{ pointer: `${at}/logo/size`, detail }])
}

function mark(symbol: QrSymbol, share: number, ratio: number): Marked {
  const hole = holeOf(symbol.size, share, ratio)
  const isClear = hole.x >= 9 && hole.y >= 9
  return { symbol, hole, damage: isClear ? damageOf(symbol, hole) : Infinity }
}

/** Whole modules around the middle, of the logo's own ratio and of the area that a square of that share has. */
function holeOf(size: number, share: number, ratio: number): Hole {
  const [width, height] = [Math.sqrt(ratio), 1 / Math.sqrt(ratio)].map((stretch) => {
    // An odd number, as symbols have, lies in the middle.
    return Math.max(1, 2 * Math.ceil((size * share * stretch - 1) / 2) + 1)
  }) as [number, number]
  return { x: (size - width) / 2, y: (size - height) / 2, width, height }
}

function largestSize(symbol: QrSymbol, ratio: number): number {
  for (let percent = 40; percent > 5; percent--) {
    if (mark(symbol, percent / 100, ratio).damage <= MAX_DAMAGE) return percent / 100
  }
  return 0.05
}
