import { hash } from 'node:crypto'
import { randomSlice } from './random-slice.ts'

/**
 * A new token: 32 random bytes as base64url, 43 characters. None begins with "-": a spreadsheet takes such a cell for a
 * formula, and what is put in front to prevent that would be taken for a part of the token.
 */
export function newToken(): string {
  for (;;) {
    const token = randomSlice(32).toString('base64url')
    if (!token.startsWith('-')) return token
  }
}

/** What is kept of a token. It is random, so that a plain hash cannot be turned back. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** Whether a text can be a token at all. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}
