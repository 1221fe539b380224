/** An exception: a regular expression that the analyser cannot prove linear, and the reason to allow it. */
export interface Allowed {
  file: string
  /** The source between the slashes. */
  source: string
  /** What bounds the length of its input, or why the analyser is wrong. */
  reason: string
}

/** An exception that is no longer needed fails the check. */
export const allowed: readonly Allowed[] = []
