/** Scans that any node has recorded this long before a request are in its response, unless that says until when they are. */
const PROMISED_MS = 3000

/** Until when scans are included, if the fold of another node is further behind than statistics may be. */
export function asOf(now: number, { behindMs }: { behindMs: number }): { as_of?: string } {
  return behindMs > PROMISED_MS ? { as_of: new Date(now - behindMs).toISOString() } : {}
}

/**
 * The same for a response of this node.
 * @param isSettled whether this node has folded everything until the request
 * @param stated what the rows of the response say
 */
export function asOfResponse(receivedAt: number, isSettled: boolean, stated: string | undefined): { as_of?: string } {
  const own = isSettled ? undefined : new Date(receivedAt).toISOString()
  // Times of the same form sort as texts.
  const [earliest] = [own, stated].filter((time) => time !== undefined).sort()
  return earliest === undefined ? {} : { as_of: earliest }
}
