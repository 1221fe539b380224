/** Puts values into a text with places for them: `{name}`. */
export function fill(text: string | undefined, values: Record<string, string | number>): string {
  return Object.entries(values).reduce(
    (filled, [name, value]) => filled.replaceAll(`{${name}}`, () => String(value)),
    text ?? '',
  )
}
