import { DISTANCE_TO_WIDTH } from '../../../qr/check/report.ts'
import { locales, perLanguage, type Language } from '../../../texts/language.ts'

const MM_PER_CM = 10
const MM_PER_M = 1000

function createLengths(language: Language) {
  const number = new Intl.NumberFormat(locales[language], { maximumFractionDigits: 1 })
  return {
    wide: (mm: number) => `${number.format(Math.floor(mm + 1e-6))}\u00a0mm`,
    distanceOf: (mm: number) => {
      const distance = mm * DISTANCE_TO_WIDTH
      return distance < MM_PER_M
        ? `${number.format(Math.floor(distance / MM_PER_CM))}\u00a0cm`
        : `${number.format(Math.floor(distance / 100) / 10)}\u00a0m`
    },
  }
}

/** Says widths of codes in millimetres, and from how far phones read a code of such a width. */
export const lengthsIn = perLanguage(createLengths)
