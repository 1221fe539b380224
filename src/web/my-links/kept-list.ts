// What the lists of keys that a browser keeps have in common.

/** What is kept with a key. */
export interface Keyed {
  token: string
  /** ISO 8601, UTC. */
  created_at: string
}

/** Adds entries; of two with the same key the earlier one stays. The newest come first. */
export function mergeKept<T extends Keyed>(kept: readonly T[], added: readonly T[]): T[] {
  const byToken = new Map<string, T>()
  for (const each of [...kept, ...added]) if (!byToken.has(each.token)) byToken.set(each.token, each)
  return [...byToken.values()].sort((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0))
}

export function forgetKept<T extends Keyed>(kept: readonly T[], tokens: ReadonlySet<string>): T[] {
  return kept.filter(({ token }) => !tokens.has(token))
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value)
}

/** Whether it is a time as JSON has it. */
export function isTime(value: unknown): value is string {
  return isText(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) && !Number.isNaN(Date.parse(value))
}
