import { hash } from 'node:crypto'

/** The strong entity tag (RFC 9110, 8.8.3) of a body. */
export function entityTagOf(body: Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
}

/** Whether `If-None-Match` has the tag, so that the response is a 304 (RFC 9110, 13.1.2: weak comparison). */
export function isNotModified(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag)
}
