import type { Link } from '../../links/link.ts'
import { poorContrast } from '../../qr/design/style.ts'
import type { Design } from '../../qr/design/schema.ts'
import { linkName } from '../link-name.ts'
import { MAX_TITLE, type KeptLink } from './kept-links.ts'

/** What a browser keeps of a link: a name to find it by, also when it has no title. */
export function keptLink(link: Link, token: string, design?: Design): KeptLink {
  const { code, createdAt } = link
  const kept = { token, code, title: nameOf(link), created_at: new Date(createdAt).toISOString() }
  return design !== undefined && poorContrast(design) !== undefined ? { ...kept, poor: true } : kept
}

/** Null for a name that is only the code. */
function nameOf(link: Link): string | null {
  const name = linkName(link)
  return name === link.code ? null : name.slice(0, MAX_TITLE).toWellFormed()
}
