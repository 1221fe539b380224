/** A regular expression that the analyser does not prove, and why it may stay. */
export interface Allowed {
  file: string
  /** As it is written between the slashes. */
  source: string
  /** What bounds the text that it is given, or why the analyser is wrong. */
  reason: string
}

/** One that no longer is there, or that is proven by now, fails the check. */
export const allowed: readonly Allowed[] = []
