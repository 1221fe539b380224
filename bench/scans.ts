// Scans of a busy service, derived from a counter so that each run has the same ones.
import type { Scan } from '../src/scans/scan.ts'
import { noValues } from '../test/support/no-values.ts'

const devices = ['mobile', 'desktop', 'tablet']
const systems = ['iOS', 'Android', 'Windows', 'macOS', 'Linux']
const browsers = ['Safari', 'Chrome', 'Firefox', 'Edge', 'Instagram', 'Samsung Internet']
const countries = ['DE', 'US', 'FR', 'GB', 'AT', 'CH', 'NL', 'IT', 'ES', 'PL']

const pick = <T>(list: readonly T[], at: number): T => list[at % list.length] as T

/** A pseudo-random number that depends on the counter only. */
const mix = (at: number) => (Math.imul(at, 2_654_435_761) >>> 0) ^ (Math.imul(at, 40_503) >>> 3)

/** @param tail whether cities and referrers have a long tail: 5,000 and 300 values */
export function makeScan(at: number, linkId: number, time: number, tail: boolean): Scan {
  const random = mix(at) >>> 0
  return {
    ...noValues,
    linkId,
    at: time,
    source: random % 3 === 0 ? 'link' : 'qr',
    device: pick(devices, random),
    os: pick(systems, random >>> 3),
    browser: pick(browsers, random >>> 5),
    country: pick(countries, random >>> 7),
    city: tail ? `City ${(random >>> 4) % 5000}` : null,
    referrer: tail ? `site${(random >>> 9) % 300}.example.com` : 'direct',
    bot: random % 20 === 0,
    answer: null,
    visitor: random,
  }
}
