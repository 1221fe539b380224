/** Links of one collection at the same time. */
export const MAX_LINKS = 10_000
/** Collections that one link is in at the same time. */
export const MAX_COLLECTIONS = 10
