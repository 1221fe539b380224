import type { Bus } from '../bus/bus.ts'
import { createThrottledSet } from '../lib/throttled-set.ts'
import type { Scans } from '../scans/open.ts'

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
