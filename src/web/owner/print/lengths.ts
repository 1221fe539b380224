import { DISTANCE_TO_WIDTH } from '../../../qr/printed-size.ts'
import type { Language } from '../../../texts/language.ts'
import { distanceText } from '../lengths.ts'

/** Says widths of codes, given in millimetres, and from how far phones read a code of such a width; no line breaks within. */
export function lengthsIn(language: Language): { wide: (mm: number) => string; distanceOf: (mm: number) => string } {
  return {
    // Rounded down, so that no number is too large; what is exact is not.
    wide: (mm) => `${Math.floor(mm + 1e-6)}\u00a0mm`,
    distanceOf: (mm) => distanceText(mm * DISTANCE_TO_WIDTH, language).replaceAll(' ', '\u00a0'),
  }
}
