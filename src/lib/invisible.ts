// Characters without a shape (Unicode's Cf), which people copy along from messengers, text programs and web pages.

const invisible = /^\p{Cf}$/u

/** A text without the invisible characters before and after it, and these. */
export interface Trimmed {
  text: string
  before: string
  after: string
}

/**
 * Takes the invisible characters from the ends of a text. The tags that end the flag of England are seen, and stay.
 * @param taken matches each character that is taken
 */
export function trimInvisible(text: string, taken: RegExp = invisible): Trimmed {
  const isTaken = (codePoint: number) => taken.test(String.fromCodePoint(codePoint))
  let [start, end] = [0, text.length]
  while (start < end && isTaken(text.codePointAt(start) ?? 0)) start += unitsAt(text, start)
  while (end > start && isTaken(text.codePointAt(lastIndex(text, end)) ?? 0)) end = lastIndex(text, end)
  end = endOfFlag(text, end)
  return { text: text.slice(start, end), before: text.slice(0, start), after: text.slice(end) }
}

/** Invisible characters as people look them up: `U+200B`. */
export function codePointsOf(characters: string): string {
  const names = Array.from(characters, (each) => (each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0'))
  return [...new Set(names)].map((name) => `U+${name}`).join(', ')
}

function unitsAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
}

/** The index of the character before `end`. */
function lastIndex(text: string, end: number): number {
  return (text.codePointAt(end - 2) ?? 0) > 0xffff ? end - 2 : end - 1
}

const BLACK_FLAG = 0x1f3f4
const CANCEL_TAG = 0xe007f

/** The end of the flag whose first character ends at `end`: of tags up to the one that ends them (UTS 51, ED-14a). */
function endOfFlag(text: string, end: number): number {
  if (text.codePointAt(end - 2) !== BLACK_FLAG) return end
  for (let at = end; at < text.length; at += 2) {
    const tag = text.codePointAt(at) ?? 0
    if (tag === CANCEL_TAG) return at > end ? at + 2 : end
    if (tag < 0xe0020 || tag > CANCEL_TAG) return end
  }
  return end
}
