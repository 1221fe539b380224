import { createRequire } from 'node:module'
import type * as Library from 'libphonenumber-js/min'

/** Loaded at the first number of another country: its tables of all countries take 20 ms, which most services never need. */
const load = createRequire(import.meta.url)

/** Where the zero in brackets belongs to the number: Italy, San Marino and the Vatican. */
const zeroBelongs = /^\+(?:39|37[89])/

/** `+49 (0)30`: within the country one dials the zero, from elsewhere one does not. */
const trunkZero = /^(\+\d{1,3})[\s.-]*\(0\)/

/** What one types to dial; a slash, dot, blank, bracket or dash only separates. A comma or semicolon is a pause. */
const dialable = /^[\d\s()+*#.,;/\p{Pd}]+$/u

/** A number without the invisible marks that contact apps copy along. The rest stays as it was typed. */
export function withoutMarks(phone: string): string {
  return phone.replaceAll(/\p{Cf}/gu, '')
}

/**
 * The address that dials a number (RFC 3966); none for a number with words in it, of which it would dial another one.
 * A pause and what is dialled after it stay, and `#` is encoded, since it would begin a fragment.
 */
export function phoneAddress(typed: string): string | undefined {
  const phone = withoutMarks(typed).normalize('NFKC').trim()
  if (!dialable.test(phone) || !/\d/.test(phone)) return undefined
  const end = /[,;*#]/.exec(phone)?.index ?? phone.length
  const after = phone.slice(end).replaceAll(/[^\d+*#,;]/g, '')
  return `tel:${dialed(phone.slice(0, end))}${after}`.replaceAll('#', '%23')
}

/** The digits that a phone dials for a number without pauses and codes. */
function dialed(number: string): string {
  const international = number.replace(/^\(?(?:00|\+)[\s)]*/, '+')
  const digits = (text: string) => text.replaceAll(/[^\d+]/g, '')
  if (!international.startsWith('+')) return digits(number)
  const written = zeroBelongs.test(international) ? international : international.replace(trunkZero, '$1')
  const { parsePhoneNumberFromString } = load('libphonenumber-js/min') as typeof Library
  const parsed = parsePhoneNumberFromString(digits(written))
  if (parsed?.isPossible() === true) return parsed.number
  // A house's own number may begin with two zeros, too.
  return number.includes('+') ? digits(written) : digits(number)
}
