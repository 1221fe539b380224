const DAY = 86_400_000
/** Where the days of a workbook begin. Excel takes 1900 for a leap year, so that dates from March on are a day later. */
const EPOCH_1900 = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)
/** 31 December 9999. */
const LAST_DAY = 2_958_465

/** A number in its shortest decimal form, without an exponent; undefined when it is none. */
export function numberText(text: string): string | undefined {
  const trimmed = text.trim()
  // A program other than Excel may write more digits than a double holds.
  if (/^-?(?:0|[1-9]\d{0,100})$/.test(trimmed)) return trimmed
  const number = Number(trimmed)
  if (trimmed === '' || !Number.isFinite(number)) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d{1,30})(?:\.(\d{1,30}))?(?:e([+-]?\d{1,3}))?$/.exec(String(number)) ?? []
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits.padEnd(point, '0')
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** A number of days as a date, a time of day, or both (ISO 8601); undefined when it is none. */
export function dateText(text: string, is1904: boolean): string | undefined {
  const days = Number(text)
  if (text.trim() === '' || !(days >= 0 && days <= LAST_DAY + 1)) return undefined
  const shifted = is1904 || days >= 60 ? days : days + 1
  const milliseconds = Math.round((shifted * DAY) / 1_000) * 1_000
  const iso = new Date((is1904 ? EPOCH_1904 : EPOCH_1900) + milliseconds).toISOString()
  const [date = '', time = ''] = iso.slice(0, 19).split('T')
  if (days < 1 && days > 0) return time
  return time === '00:00:00' ? date : `${date}T${time}`
}

/** Characters that XML cannot have, or not at the ends of lines, are written as _x000D_ (ECMA-376, 22.9.2.19). */
export function unescapeText(text: string): string {
  return text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_all, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}
