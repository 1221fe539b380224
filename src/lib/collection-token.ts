import { hashToken, isToken, newToken } from './token.ts'

/** Distinguishes tokens of collections from those of links and shares, also for readers of a log or a message. */
const PREFIX = 'collection_'

/** Creates the token of a collection, as random as that of a link. */
export function newCollectionToken(): string {
  return PREFIX + newToken()
}

/** The stored form of a collection's token; undefined for a text that is none. No token of a link or a share is one. */
export function hashCollectionToken(text: string): string | undefined {
  return text.startsWith(PREFIX) && isToken(text.slice(PREFIX.length)) ? hashToken(text) : undefined
}
