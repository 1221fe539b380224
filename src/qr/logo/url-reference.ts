/** A value that begins with a reference inside of the drawing, `url(#…)`. */
export interface Reference {
  id: string
  /** The fallback behind it, for when nothing has that id. */
  rest: string
}

/** Parses such a value; undefined for any other. */
export function referenceOf(value: string): Reference | undefined {
  const end = value.indexOf(')')
  if (end < 0 || value.slice(0, 4).toLowerCase() !== 'url(') return undefined
  const inside = value.slice(4, end).trim()
  const isQuoted = inside.length > 1 && /^["']/.test(inside) && inside.endsWith(inside.charAt(0))
  const address = isQuoted ? inside.slice(1, -1) : inside
  const id = address.slice(1).trim()
  const rest = value.slice(end + 1)
  const isOdd = /["'(\\]/.test(id) || (!isQuoted && /\s/.test(id)) || /^\S/.test(rest)
  return address.startsWith('#') && id !== '' && !isOdd ? { id, rest: rest.trim() } : undefined
}
