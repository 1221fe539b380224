const numberExpression = /^[+-]?\d[\d.,]*(?:e[+-]?\d+)?$/i
/** Spreadsheets show fifteen digits of a number. */
const SHOWN = 1e-14

/**
 * Whether a cell is a text that a spreadsheet has taken for a number and written in its own way: 007 as 7, 1.50 as 1,5, a long one
 * with an exponent.
 */
export function sameNumber(cell: string, text: string): boolean {
  const [written, meant] = [cell.trim(), text.trim()]
  if (written.length > 100 || meant.length > 100) return false
  if (!numberExpression.test(written) || !numberExpression.test(meant)) return false
  const within = /e/i.test(written) ? SHOWN : 0
  return readings(written).some((one) =>
    readings(meant).some((other) => Math.abs(one - other) <= within * Math.abs(other)),
  )
}

/** A number with a decimal point, or with a decimal comma. */
function readings(text: string): number[] {
  const numbers = [Number(text.replaceAll(',', '')), Number(text.replaceAll('.', '').replace(',', '.'))]
  return numbers.filter((number) => Number.isFinite(number))
}
