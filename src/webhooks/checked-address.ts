import { urlsOf } from '../links/draft.ts'
import type { Content } from '../links/link.ts'
import { destination } from '../links/utm.ts'
import { portFault } from '../links/webhook.ts'

/** The address of a link that is checked, as visitors are redirected to it; undefined when it has a port that gets no requests. */
export function checkedAddress(link: Content): string | undefined {
  const [first] = urlsOf({ ...link, rules: link.rules.filter(({ off }) => off !== true) })
  return first && portFault(first.url) === undefined ? destination(first.url, link.utm) : undefined
}
