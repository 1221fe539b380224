import { hash } from 'node:crypto'

/** A strong entity tag (RFC 9110, 8.8.3) of these very bytes. */
export function entityTagOf(body: Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
}

/** Whether the client has what the tag names already (RFC 9110, 13.1.2: weak comparison). */
export function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag)
}
