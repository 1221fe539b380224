import type { TestContext } from 'node:test'
import { openPlaces } from '../../src/places/open.ts'
import { temporaryFolder, undoLater } from './cleanup.ts'
import { builtAt, mmdb } from './mmdb.ts'

const DAY_MS = 86_400_000

/** Two databases that differ in 5.1.0.0/16. */
export const berlin = mmdb([['5.1.0.0/16', { country_code: 'DE', city: 'Berlin' }]])
export const vienna = mmdb([['5.1.0.0/16', { country_code: 'AT', city: 'Vienna' }]], { builtAt: builtAt + 30 * DAY_MS })

/** A clock that the test advances, and a function that opens sources with it. */
export function createPlacesWithClock(t: TestContext) {
  let time = builtAt + DAY_MS
  const dataDir = temporaryFolder(t)
  const warnings: string[] = []
  const open = (...sources: string[]) => {
    const log = { warn: (text: string) => void warnings.push(text) }
    const clock = () => time
    const places = openPlaces({ sources, dataDir, now: clock, monotonic: clock, fetch, log })
    undoLater(t, places.close)
    return { ...places, metric: (name: string) => places.metrics.find((each) => each.name === name)?.read() }
  }
  return { open, warnings, dataDir, now: () => time, pass: (days: number) => void (time += days * DAY_MS) }
}
