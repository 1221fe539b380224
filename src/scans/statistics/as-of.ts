/** Scans that any node has recorded this long before a request are in its response, unless that says until when they are. */
const PROMISED_MS = 3000

/** Until when scans are included, for a response that lacks some. */
export interface AsOf {
  as_of?: string
}

/** Until when scans are included, if the fold of another node is further behind than statistics may be. */
export function asOf(now: number, { behindMs }: { behindMs: number }): AsOf {
  return behindMs > PROMISED_MS ? { as_of: new Date(now - behindMs).toISOString() } : {}
}

/**
 * The same for a response of this node.
 * @param missing the time of the oldest scan from before the request that this node has not folded, if there is one
 * @param stated what the rows of the response say
 */
export function asOfResponse(missing: number | undefined, stated: string | undefined): AsOf {
  const own = missing === undefined ? undefined : new Date(missing).toISOString()
  // Times of the same form sort as texts.
  const [earliest] = [own, stated].filter((time) => time !== undefined).sort()
  return earliest === undefined ? {} : { as_of: earliest }
}
