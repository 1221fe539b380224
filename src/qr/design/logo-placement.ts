import { invalidRequest } from '../../http/problem.ts'
import type { EncodeText, QrSymbol } from '../matrix.ts'
import { levels, blocksOf } from '../encoder/tables.ts'
import { leastVersion } from './eyes.ts'
import { type Hole, isInHole } from './shapes.ts'
import type { Style } from './style.ts'
import { layOut } from '../encoder/layout.ts'

/** A symbol, and the modules that its logo covers. */
export interface SymbolWithLogo {
  symbol: QrSymbol
  hole: Hole | undefined
  /** The share of the error correction that the logo uses up. */
  damage: number
}

/** The share of the error correction that a logo may use up; the rest is for scratches, folds and bad light. */
const MAX_DAMAGE = 0.6

/** The default share of the side that a logo has, where error correction can restore that. */
const DEFAULT_SIZE = 0.2

export interface LogoOptions {
  boost: boolean
  /** The pointer of the design in the request, for the errors. */
  at: string
  /** Whether a logo that is too large is scaled down instead of refused. */
  mayShrink?: boolean
}

/**
 * Encodes a text at the lowest level that leaves enough error correction with the logo.
 * @throws {Problem} 400 when the text does not fit, or the logo is too large at every level
 */
export function encodeWithLogo(
  encode: EncodeText,
  text: string,
  { logo, level, eyeFrame }: Pick<Style, 'logo' | 'level' | 'eyeFrame'>,
  { boost, at, mayShrink = false }: LogoOptions,
): SymbolWithLogo {
  const options = { boost, minVersion: leastVersion(eyeFrame) }
  if (logo === undefined) return { symbol: encode(text, { ...options, level }), hole: undefined, damage: 0 }
  const { size = DEFAULT_SIZE, image } = logo
  const tried: QrSymbol[] = []
  for (const each of levels.slice(levels.indexOf(level))) {
    const symbol = encode(text, { ...options, level: each })
    const placed = placeLogo(symbol, size, image.ratio)
    if (isReadable(placed)) return placed
    tried.push(symbol)
  }
  const largest = largestBelow(size, tried, image.ratio)
  if (largest !== undefined && (mayShrink || logo.size === undefined)) return largest.placed
  const [pointer, detail] =
    largest === undefined
      ? ['image', 'is too long and narrow: with this data, error correction cannot restore what it covers at any size']
      : [
          'size',
          `covers more than error correction can restore: must be at most ${largest.size} for this data and image`,
        ]
  throw invalidRequest([{ pointer: `${at}/logo/${pointer}`, detail }])
}

function isReadable({ damage }: SymbolWithLogo): boolean {
  return damage <= MAX_DAMAGE
}

function placeLogo(symbol: QrSymbol, share: number, ratio: number): SymbolWithLogo {
  const hole = holeOf(symbol.size, share, ratio)
  const isClear = hole.x >= 9 && hole.y >= 9
  return { symbol, hole, damage: isClear ? damageOf(symbol, hole) : Infinity }
}

/** The modules in the middle with the aspect ratio of the logo and the area of a square of that share. */
function holeOf(size: number, share: number, ratio: number): Hole {
  const [width, height] = [Math.sqrt(ratio), 1 / Math.sqrt(ratio)].map((stretch) => {
    // An odd number, like the size of symbols, can be centred.
    return Math.max(1, 2 * Math.ceil((size * share * stretch - 1) / 2) + 1)
  }) as [number, number]
  return { x: (size - width) / 2, y: (size - height) / 2, width, height }
}

/** The largest whole percentage that one of the symbols allows; undefined when there is none. */
function largestBelow(
  size: number,
  symbols: QrSymbol[],
  ratio: number,
): { size: number; placed: SymbolWithLogo } | undefined {
  for (let percent = Math.ceil(size * 100) - 1; percent >= 5; percent--) {
    const placed = symbols.map((symbol) => placeLogo(symbol, percent / 100, ratio)).find(isReadable)
    if (placed !== undefined) return { size: percent / 100, placed }
  }
  return undefined
}

/**
 * The share of the error correction that a hole uses up, which may exceed 1: in the worst block, the codewords that it
 * touches, divided by those that can be restored (ISO/IEC 18004, 7.5.1: half of the correction codewords).
 */
function damageOf({ version, level }: QrSymbol, hole: Hole): number {
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
