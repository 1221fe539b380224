/** A text for one thing, and for any other number. */
export interface Plural {
  one: string
  other: string
}

/** Sets the values of `{name}` in a text. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{([a-z]{1,20})\}/g, (found, name: string) => String(values[name] ?? found))
}

/** The text for a number of things. */
export function count(texts: Plural, n: number): string {
  return fill(n === 1 ? texts.one : texts.other, { n })
}
