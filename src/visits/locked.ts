import type { PasswordHash, RightPassword } from '../links/password/password.ts'
import type { LiveLink } from './live-link.ts'

/** A link whose visitors need a password. What it leads to is not among its fields: only a right password opens it. */
export interface LockedLink {
  id: number
  /** As its owner wrote it. */
  code: string
  placements: LiveLink['placements']
  password: PasswordHash
  /** The link; undefined when the right password was that of another link, or an earlier one of this. */
  open: (right: RightPassword) => LiveLink | undefined
}

export function lock(live: LiveLink, password: PasswordHash): LockedLink {
  const { id, code, placements } = live
  return { id, code, placements, password, open: ({ hash }) => (hash === password ? live : undefined) }
}
