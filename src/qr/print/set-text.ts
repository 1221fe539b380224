import { breakLines } from '../design/fit.ts'
import type { PrintFont } from './fonts.ts'
import type { Sizes } from './template.ts'

/** A text in lines of one size, in millimetres. */
export interface Block {
  font: Face
  lines: string[]
  size: number
}

/** What measures texts of size 1. */
export type Face = Pick<PrintFont, 'name' | 'width'>

/** From line to line, for letters of size 1. */
const LINE = 1.18
/** Between two sizes that are tried. */
const STEP = 0.94
/** Sums of widths are not exact. */
const EPSILON = 1e-6

export function heightOf({ lines, size }: Block): number {
  return lines.length * size * LINE
}

/**
 * Sets a text at the largest size at which no word is wider than the lines; at the smallest one, words are broken.
 * @param share of the largest size that may be used
 */
export function setText(
  font: Face,
  text: string,
  { width, sizes: [largest, smallest], share, wholeFrom = 1 }: Measure,
): Block {
  const widest = Math.max(...text.split(' ').map((word) => font.width(word)))
  const size = Math.max(smallest, Math.min(largest * share, widest === 0 ? Infinity : (width - EPSILON) / widest))
  const whole = wholeFrom < 1 ? (width - EPSILON) / font.width(text) : 0
  if (whole < size && whole >= Math.max(smallest, size * wholeFrom)) return { font, lines: [text], size: whole }
  return { font, lines: breakLines(font, text, width / size), size }
}

export interface Measure {
  width: number
  sizes: Sizes
  share: number
  /** The share of its size in several lines from which on a text stands in one. */
  wholeFrom?: number | undefined
}

/** The shares of the largest sizes, one after the other, down to where all texts have their smallest size. */
export function* shares(all: readonly Sizes[]): Generator<number> {
  const least = Math.min(...all.map(([largest, smallest]) => smallest / largest))
  let share = 1
  for (; share > least; share *= STEP) yield share
  yield least
}

/** The baselines of a block's lines, from its upper edge. */
export function baselinesOf({ lines, size }: Block, capital: number): number[] {
  return lines.map((_, at) => size * (at * LINE + (LINE + capital) / 2))
}

const fromRight = /^[^\p{L}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Whether the first letter of a text is one of a script that is written from right to left. */
export function isRightToLeft(text: string): boolean {
  return fromRight.test(text)
}
