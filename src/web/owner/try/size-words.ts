import { fillText } from '../../../lib/fill-text.ts'
import { DISTANCE_TO_WIDTH, LEAST_MODULE_MM, type PrintedSize } from '../../../qr/printed-size.ts'
import type { Language } from '../../../texts/language.ts'
import type { SizeTexts } from '../../../texts/try.ts'
import { distanceText, formatOf } from '../lengths.ts'

/** Widths in millimetres that the page offers; the own one is in the bounds. */
export const WIDTHS = [15, 20, 30, 50, 80] as const
export const USUAL_WIDTH = 30
export const LEAST_WIDTH = 5
export const MOST_WIDTH = 200

/** CSS has 96 pixels in an inch, whatever the screen has (CSS Values and Units 4, 6.2). */
export const PIXELS_PER_MM = 96 / 25.4

/** What is said of a width, in sentences. */
export interface SizeWords {
  distance: string
  remark: string
  isWarning: boolean
}

/**
 * What is said of a code of this width. The page and its script say the same.
 * @param width in millimetres
 * @param size undefined while it is not known
 */
export function wordsOfSize(
  width: number,
  size: PrintedSize | undefined,
  texts: Pick<SizeTexts, 'distance' | 'fits' | 'small' | 'tooSmall' | 'unknown'>,
  language: Language,
): SizeWords {
  const distance = fillText(texts.distance, { distance: distanceText(width * DISTANCE_TO_WIDTH, language) })
  if (size === undefined) return { distance, remark: texts.unknown, isWarning: false }
  const { smallest } = size
  const module = width * size.module
  if (module < LEAST_MODULE_MM) {
    // Rounded down, so that no number is too small that reads as enough.
    const number = formatOf(language, { maximumFractionDigits: 2 })(Math.floor(module * 100) / 100)
    return { distance, remark: fillText(texts.tooSmall, { module: number, smallest }), isWarning: true }
  }
  const isSmall = width < smallest
  return { distance, remark: fillText(isSmall ? texts.small : texts.fits, { smallest }), isWarning: isSmall }
}
