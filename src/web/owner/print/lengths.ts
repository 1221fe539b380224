import { DISTANCE_TO_WIDTH } from '../../../qr/printed-size.ts'
import type { Language } from '../../../texts/language.ts'
import { distanceText } from '../lengths.ts'

/** Says widths of codes, given in millimetres, and from how far phones read a code of such a width; no line breaks within. */
export function lengthsIn(language: Language): { wide: (mm: number) => string; distanceOf: (mm: number) => string } {
  return {
    wide: (mm) => `${whole(mm)}\u00a0mm`,
    distanceOf: (mm) => distanceText(whole(mm) * DISTANCE_TO_WIDTH, language).replaceAll(' ', '\u00a0'),
  }
}

/** Rounded down, so that no code is said to be larger than it is. Sums of widths are not exact. */
function whole(mm: number): number {
  return Math.floor(mm + 1e-6)
}
