import { ownValue } from '../../lib/own-value.ts'

// Numbers as SVG writes them (SVG 1.1, 4.2). Number() also reads hexadecimal digits, an empty text and Infinity, which
// renderers read otherwise.
export const numberPattern = '[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][+-]?\\d+)?'
const wholeNumber = new RegExp(`^${numberPattern}$`)
const wholeLength = new RegExp(`^(${numberPattern})(%|[a-zA-Z]*)$`)
/** What may be between two values of a list. */
export const between = '[ \\t\\n\\f\\r]*(?:,[ \\t\\n\\f\\r]*)?'
const oneOfList = new RegExp(`(${numberPattern})${between}`, 'y')

/** No drawing has larger numbers. */
const MAX_NUMBER = 1e9

/** Pixels of the units that are as long everywhere: `em` and `ex` depend on a font, and on the renderer. */
const units: Record<string, number> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  mm: 96 / 25.4,
  cm: 96 / 2.54,
  in: 96,
  q: 96 / 101.6,
}

export const lengthUnits = Object.keys(units).filter(Boolean).join(', ')

/** Parses a number; undefined when it is invalid or too large. */
export function numberOf(text: string): number | undefined {
  return wholeNumber.test(text) ? bounded(Number(text)) : undefined
}

/** Parses numbers between spaces, single commas or nothing, as in `1-2.5.5`; undefined when anything else is there. */
export function numbersOf(text: string): number[] | undefined {
  const numbers: number[] = []
  const list = text.trim()
  if (list.endsWith(',')) return undefined
  for (oneOfList.lastIndex = 0; oneOfList.lastIndex < list.length;) {
    const [, match = ''] = oneOfList.exec(list) ?? []
    const next = numberOf(match)
    if (next === undefined) return undefined
    numbers.push(next)
  }
  return numbers
}

/** Parses a length in pixels, of which a percentage is a share of `whole`; undefined when it is invalid. */
export function lengthOf(text: string, whole: number): number | undefined {
  const [, digits = '', unit = ''] = wholeLength.exec(text) ?? []
  const factor = unit === '%' ? whole / 100 : ownValue(units, unit.toLowerCase())
  const number = numberOf(digits)
  return number === undefined || factor === undefined ? undefined : bounded(number * factor)
}

function bounded(number: number): number | undefined {
  return Math.abs(number) <= MAX_NUMBER ? number : undefined
}

/** Writes numbers in few characters. */
export function writeNumbers(numbers: readonly number[]): string {
  return numbers
    .map((each) => String(each).replace(/^(-?)0\./, '$1.'))
    .join(' ')
    .replaceAll(' -', '-')
}
