/** The declaration of one setting. `parse` returns undefined for an invalid value. */
export interface Setting<T, F extends string | undefined = string | undefined> {
  /** The environment variable; the flag is its name in lower case with dashes. */
  name: string
  /** The default; undefined when the setting may be unset. */
  fallback: F
  /** Whether errors must not have its value, which may hold a password. */
  isSecret?: boolean
  /** Whether checks of `quirl doctor` get its value, as JSON: not for what may hold a credential. */
  isChecked?: boolean
  parse: (text: string) => T | undefined
  /** Completes "is not allowed: it must be …". */
  allowed: string
  doc: string
}

export function setting<T, F extends string | undefined, const S extends Setting<T, F>>(
  spec: S & Setting<T, F>,
): S & Setting<T, F> {
  return spec
}
