import type { Told } from './dimension.ts'

/** Fits what is stored of a visit: hosts of referrers and names of cities are shorter. */
export const MAX_TEXT = 300

/** Reads the text of a cell; null when it is empty. @throws {Error} that names the column */
export function readText(column: string, text: string): string | null {
  if (text.length <= MAX_TEXT && !/\p{Cc}/u.test(text) && text.isWellFormed()) return text === '' ? null : text
  throw new Error(`${column} must be at most ${MAX_TEXT} characters without control characters`)
}

/** The parts of a description whose value is a text that is stored as it is. */
export const plainText = {
  journal: undefined,
  text: (value: string | null): string | null => value,
  tell: (value: string | null): Told => ({ value }),
  parse: readText,
  rest: undefined,
}

/** The values that breakdowns list, of most dimensions. */
export const TOP = 10
