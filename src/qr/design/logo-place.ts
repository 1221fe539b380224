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

/** The share of the side that a logo has when none is asked for, if error correction can restore that. */
const USUAL_SIZE = 0.2

/** How a text is encoded beside a logo. */
export interface Around {
  boost: boolean
  /** The pointer of the design in the request, for the errors. */
  at: string
  /** Whether a logo gets smaller than was asked for rather than being refused. */
  shrinks?: boolean
}

/**
 * Encodes a text at the lowest level that leaves enough error correction beside the logo.
 * @throws {Problem} 400 when the text does not fit, or no level can bear the logo
 */
export function encodeAround(
  encode: EncodeText,
  text: string,
  { logo, level, eyeFrame }: Pick<Style, 'logo' | 'level' | 'eyeFrame'>,
  { boost, at, shrinks = false }: Around,
): Marked {
  const options = { boost, minVersion: leastVersion(eyeFrame) }
  if (logo === undefined) return { symbol: encode(text, { ...options, level }), hole: undefined, damage: 0 }
  const { size = USUAL_SIZE, image } = logo
  const tried: QrSymbol[] = []
  for (const each of levels.slice(levels.indexOf(level))) {
    const symbol = encode(text, { ...options, level: each })
    const marked = mark(symbol, size, image.ratio)
    if (isReadable(marked)) return marked
    tried.push(symbol)
  }
  const most = largestBelow(size, tried, image.ratio)
  if (most !== undefined && (shrinks || logo.size === undefined)) return most.marked
  const [pointer, detail] =
    most === undefined
      ? ['image', 'is too long and narrow: error correction can restore what it covers in no size, with this data']
      : ['size', `covers more than error correction can restore: must be at most ${most.size} for this data and image`]
  throw invalidRequest([{ pointer: `${at}/logo/${pointer}`, detail }])
}

function isReadable({ damage }: Marked): boolean {
  return damage <= MAX_DAMAGE
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

/** The largest whole percentage that one of the symbols can bear; undefined when none can bear any. */
function largestBelow(size: number, symbols: QrSymbol[], ratio: number): { size: number; marked: Marked } | undefined {
  for (let percent = Math.ceil(size * 100) - 1; percent >= 5; percent--) {
    const marked = symbols.map((symbol) => mark(symbol, percent / 100, ratio)).find(isReadable)
    if (marked !== undefined) return { size: percent / 100, marked }
  }
  return undefined
}
