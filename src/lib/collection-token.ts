import { hashToken, isToken, newToken } from './token.ts'

/** Distinguishes tokens of collections from those of links and shares, also for readers of a log or a message. */
const PREFIX = 'collection_'

/** Creates the token of a collection, as random as that of a link. */
export function newCollectionToken(): string {
  return PREFIX + newToken()
}

/** Whether a text has the form of a collection's token. No token of a link or a share has it. */
export function isCollectionToken(text: string): boolean {
  return text.startsWith(PREFIX) && isToken(text.slice(PREFIX.length))
}

/** The stored form of a collection's token; undefined for a text that is none. */
export function hashCollectionToken(text: string): string | undefined {
  return isCollectionToken(text) ? hashToken(text) : undefined
}
