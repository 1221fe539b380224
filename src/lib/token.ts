import { hash } from 'node:crypto'
import { randomSlice } from './random-slice.ts'

/**
 * Creates a token: 32 random bytes as base64url, 43 characters. None begins with "-": spreadsheets treat such a cell as a
 * formula, and the character that exports put before it would look like a part of the token.
 */
export function newToken(): string {
  for (;;) {
    const token = randomSlice(32).toString('base64url')
    if (!token.startsWith('-')) return token
  }
}

/** The stored form of a token. The token is random, so a plain hash cannot be reversed. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** Whether a text has the form of a token. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}
