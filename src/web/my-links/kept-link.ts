import type { Link } from '../../links/link.ts'
import type { KeptLink } from './kept-links.ts'

/** What a browser keeps of a link. */
export function keptLink({ code, title, createdAt }: Link, token: string): KeptLink {
  return { token, code, title, created_at: new Date(createdAt).toISOString() }
}
