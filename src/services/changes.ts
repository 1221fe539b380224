import type { Bus } from '../bus/bus.ts'
import type { Abuse } from '../abuse/open.ts'
import type { Domains } from '../domains/open.ts'
import { codeKey } from '../links/code.ts'
import type { Scans } from '../scans/open.ts'
import type { Tls } from '../tls/open.ts'
import type { Visits } from '../visits/open.ts'
import { createThrottledSet } from '../lib/throttled-set.ts'

/** Changes of links that this process makes, for its own caches and those of other processes. */
export interface LinkChanges {
  invalidate: (code: string) => void
  purgeScans: (linkId: number) => void
}

/** Shares changes of links with the other processes on the store. */
export function shareLinkChanges(bus: Bus, visits: Visits, scans: Scans): LinkChanges {
  bus.subscribe('links', (keys) => keys.forEach(visits.invalidate))
  bus.subscribe('deletions', (keys) => keys.map(Number).filter(Number.isSafeInteger).forEach(scans.purge))
  return {
    invalidate(code) {
      visits.invalidate(code)
      bus.publish('links', codeKey(code))
    },
    purgeScans(linkId) {
      scans.purge(linkId)
      bus.publish('deletions', String(linkId))
    },
  }
}

/** The features that have in memory what other processes change. */
export interface Caches {
  visits: Visits
  scans: Scans
  abuse: Abuse
  domains: Domains
  tls: Tls | undefined
}

/**
 * Passes the changes of other processes to the features, which read everything again when they may have missed some.
 * @param onReopened the listeners of a store that was reopened after a fault
 */
export function passChangesOn(
  bus: Bus,
  { visits, scans, abuse, domains, tls }: Caches,
  onReopened: (() => void)[],
): void {
  shareFolds(bus, scans)
  bus.subscribe('rules', abuse.reloadRulings)
  bus.subscribe('domains', domains.reread)
  bus.subscribe('certificates', (names) => tls?.certificates.reread(names))
  const reread = [scans.reread, () => abuse.reloadRulings()]
  onReopened.push(visits.invalidateAll, ...reread)
  for (const each of [visits.expireAll, ...reread]) bus.onGap(each)
  bus.onGap(() => domains.reread([]))
  bus.onGap(() => tls?.certificates.reread())
}

/** How often a node notifies the others at most. */
const INTERVAL_MS = 1000
/** Links that a node names at once; beyond, the others read the totals of all links again that they stream. */
const MAX_LINKS = 1000
const ANY = '*'

/** Lets the streams of every process show the scans that any process has folded. */
export function shareFolds(bus: Bus, scans: Pick<Scans, 'onFold' | 'refresh'>): void {
  const folded = createThrottledSet<string>((keys) => {
    for (const key of keys.size > MAX_LINKS ? [ANY] : keys) bus.publish('scans', key)
  }, INTERVAL_MS)
  scans.onFold((changed) => {
    for (const linkId of changed ?? [ANY]) folded.add(String(linkId))
    folded.flush()
  })
  bus.subscribe('scans', (keys) => {
    scans.refresh(keys.includes(ANY) ? undefined : keys.map(Number).filter(Number.isSafeInteger))
  })
  bus.onGap(() => scans.refresh(undefined))
}
