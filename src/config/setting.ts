/** How one value is configured. `parse` returns undefined for a text that is not allowed. */
export interface Setting<T, F extends string | undefined = string | undefined> {
  /** The environment variable; the flag is the same word in lower case with dashes. */
  name: string
  /** The text that stands in when none is given; undefined when "unset" has a meaning of its own. */
  fallback: F
  parse: (text: string) => T | undefined
  /** Completes "is not allowed: …". */
  allowed: string
  doc: string
}

export function setting<T, F extends string | undefined>(spec: Setting<T, F>): Setting<T, F> {
  return spec
}
