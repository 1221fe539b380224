import type { Link } from '../../links/link.ts'
import { poorContrast } from '../../qr/design/style.ts'
import type { Design } from '../../qr/design/schema.ts'
import type { KeptLink } from './kept-links.ts'

/** What a browser keeps of a link. */
export function keptLink({ code, title, createdAt }: Link, token: string, design?: Design): KeptLink {
  const kept = { token, code, title, created_at: new Date(createdAt).toISOString() }
  return design !== undefined && poorContrast(design) !== undefined ? { ...kept, poor: true } : kept
}
