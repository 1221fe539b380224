import { yieldEvery } from '../lib/yield-every.ts'
import type { Link } from '../links/link.ts'
import { linksSuspendedByRuling } from '../links/suspension.ts'
import { canonicalise } from './canonical.ts'
import { expressions, wideLimits } from './expressions.ts'
import { addressesOf, type Screening } from './screen.ts'
import { reinstateLink, type SuspensionDeps } from './suspension.ts'

/** How long visits may wait while links are looked at, in milliseconds. */
const SLICE_MS = 5
const REASON = 'it was blocked for naming an address of this service itself'

/** Reinstates the links that lists have suspended for naming a host of the service itself, and that nothing blocks. */
export async function reinstateOwn(deps: SuspensionDeps, screening: Screening): Promise<void> {
  const pause = yieldEvery(SLICE_MS)
  for await (const link of linksSuspendedByRuling(deps.db)) {
    await pause()
    if (!isForOwn(link, screening) || screening.findInLink(link) !== undefined) continue
    await reinstateLink(deps, link, REASON, 'list')
  }
}

/** Whether what a link was suspended for covers an address of the service in it. A court's order is the operator's to end. */
function isForOwn(link: Link, { isOwnHost }: Screening): boolean {
  const { source, expression } = link.suspension ?? {}
  if (source === 'legal' || typeof expression !== 'string') return false
  return addressesOf(link)
    .map(canonicalise)
    .some((url) => isOwnHost(url.host) && expressions(url, wideLimits).includes(expression))
}
