import { addressName } from '../lib/address-name.ts'
import { kindOf } from '../links/kinds/index.ts'
import type { Link } from '../links/link.ts'

/** How its owner's pages name a link: by its title, else by what it shows or where it leads, else by its code. */
export function linkName(link: Pick<Link, 'title' | 'kind' | 'payload' | 'target' | 'code'>): string {
  const { title, payload, target, code } = link
  const shown = target === null ? kindOf(link).picture?.(payload).title : addressName(target)
  return title?.trim() || shown?.trim() || code
}
