/** Shares of one link, or of one collection, at the same time. */
export const MAX_SHARES = 20
