import { locales, type Language } from '../../texts/language.ts'

const MM_PER_CM = 10
const MM_PER_M = 1000

/** A distance, given in millimetres, in the unit that people would name. */
export function distanceText(millimetres: number, language: Language): string {
  const isFar = millimetres >= MM_PER_M
  const unit = isFar ? 'meter' : 'centimeter'
  const format = formatOf(language, { style: 'unit', unit, maximumFractionDigits: 1 })
  return format(millimetres / (isFar ? MM_PER_M : MM_PER_CM))
}

/** Says numbers as a language writes them. */
export function formatOf(language: Language, options: Intl.NumberFormatOptions): (value: number) => string {
  const format = new Intl.NumberFormat(locales[language], options)
  return (value) => format.format(value)
}
