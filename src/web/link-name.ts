import { addressName } from '../lib/address-name.ts'
import { kindOf } from '../links/kinds/index.ts'
import type { Link } from '../links/link.ts'

/** A link that is named; its own fields are null where they are longer than a list reads. */
interface Named extends Pick<Link, 'title' | 'kind' | 'target' | 'code'> {
  payload: Link['payload'] | null
}

/** How its owner's pages name a link: by its title, else by what it shows or where it leads, else by its code. */
export function linkName(link: Named): string {
  return link.title?.trim() || shownName(link)?.trim() || link.code
}

function shownName({ kind, payload, target }: Named): string | undefined {
  if (target !== null) return addressName(target)
  return payload === null ? undefined : kindOf({ kind }).picture?.(payload).title
}
