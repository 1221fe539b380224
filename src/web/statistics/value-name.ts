import type { Names, Words } from '../../dimensions/dimension.ts'
import type { Html } from '../../http/html.ts'
import type { ValueCount } from '../../scans/statistics/breakdowns.ts'
import type { BreakdownTexts } from '../../texts/breakdowns.ts'

type Value = Pick<ValueCount, 'value' | 'country'>

/** How the values of a dimension read. */
export function nameIn(
  { value: nameOf, rest }: Words,
  texts: BreakdownTexts,
  names: Names,
): (row: Value) => Html | string {
  return ({ value, country }) => {
    if (value === null) return rest ?? texts.unknown
    if (value === '(other)') return texts.others
    return nameOf?.({ value, ...(country !== undefined && { country }) }, names) ?? value
  }
}
