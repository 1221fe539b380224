/** Links of one collection at the same time. */
export const MAX_LINKS = 10_000
/** Collections that one link is in at the same time. */
export const MAX_COLLECTIONS = 10
/** Looks of one collection. */
export const MAX_LOOKS = 20
/** Characters of the designs of one collection's looks together, as JSON. */
export const MAX_LOOKS_LENGTH = 2 * 1024 * 1024
