/** Scans that any node has recorded this long before a request are in its response, unless that says until when they are. */
const PROMISED_MS = 3000

/** Until when scans are included, if the fold of another node is further behind than statistics may be. */
export function asOf(now: number, { behindMs }: { behindMs: number }): { as_of?: string } {
  return behindMs > PROMISED_MS ? { as_of: new Date(now - behindMs).toISOString() } : {}
}
