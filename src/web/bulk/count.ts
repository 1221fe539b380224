import { fillText } from '../../lib/fill-text.ts'

/** A text for one thing, and for any other number. */
export interface Plural {
  one: string
  other: string
}

/** The text for a number of things. */
export function count(texts: Plural, n: number): string {
  return fillText(n === 1 ? texts.one : texts.other, { n })
}
