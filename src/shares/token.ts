import { isToken, newToken } from '../lib/token.ts'

/** Distinguishes tokens of shares from those of owners, also for readers of a log or a message. */
const PREFIX = 'share_'

/** Creates the token of a share, as random as that of an owner. */
export function newShareToken(): string {
  return PREFIX + newToken()
}

/** Whether a text has the form of a share's token; no owner's token has it. */
export function isShareToken(text: string): boolean {
  return text.startsWith(PREFIX) && isToken(text.slice(PREFIX.length))
}
