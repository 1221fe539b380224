import { KEYS_OF_ADDRESS } from '../../src/scans/describing/visitor-key.ts'
import type { Scan } from '../../src/scans/scan.ts'
import { linkIdOf } from './link-id.ts'
import { oneOf, type Random } from './random.ts'
import type { TestServer } from './server.ts'
import { noValues } from './no-values.ts'

const DAY = 86_400_000

/** What people scan with, the frequent ones several times. */
const phones = [
  ['mobile', 'iOS', 'Safari'],
  ['mobile', 'iOS', 'Safari'],
  ['mobile', 'Android', 'Chrome'],
  ['mobile', 'Android', 'Chrome'],
  ['mobile', 'Android', 'Samsung Internet'],
  ['mobile', 'iOS', 'Instagram'],
  ['tablet', 'iPadOS', 'Safari'],
  ['desktop', 'Windows', 'Edge'],
  ['desktop', 'macOS', 'Firefox'],
] as const
const places = [
  ['DE', 'Berlin'],
  ['DE', 'Berlin'],
  ['DE', 'Hamburg'],
  ['DE', 'München'],
  ['DE', 'Köln'],
  ['AT', 'Wien'],
  ['CH', 'Zürich'],
  ['NL', 'Amsterdam'],
  ['FR', 'Paris'],
  ['PL', null],
  [null, null],
] as const
const referrers = ['direct', 'direct', 'direct', 'instagram.com', 'google.com', 'news.example.com', null]
/** Of a shop: most at lunch, some in the evening. */
const hours = [8, 9, 10, 11, 11, 12, 12, 12, 13, 13, 14, 15, 16, 17, 17, 18, 19, 20, 21]

export interface Seeding {
  /** The time of the latest scan, the clock of the server. */
  now: number
  days: number
  /** The number of scans of a usual day; there are more at the weekend. */
  perDay: number
  random: Random
  /** How many further cities of Germany the scans come from; none by default. */
  cities?: number
}

/** Records plausible scans of a link on each day of a window, as if the service had run all the time; returns them. */
export async function seedScans(server: TestServer, link: { code: string }, seeding: Seeding): Promise<Scan[]> {
  const { now, days, perDay, random, cities = 0 } = seeding
  const linkId = linkIdOf(server.dataDir, link)
  const scans: Scan[] = []
  for (let day = days - 1; day >= 0; day--) {
    const start = (Math.floor(now / DAY) - day) * DAY
    const isWeekend = [0, 6].includes(new Date(start).getUTCDay())
    const count = Math.round(perDay * (isWeekend ? 1.6 : 1) * (0.7 + 0.6 * random()) * (1 - (0.4 * day) / days))
    for (let at = 0; at < count; at++) scans.push(makeScan(linkId, start, random, cities))
  }
  const recorded = scans.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)
  await Promise.all(
    recorded.map((scan) => new Promise<void>((resolve) => server.services.scans.recordScan(scan, resolve))),
  )
  await server.services.scans.fold()
  return recorded
}

function makeScan(linkId: number, start: number, random: Random, cities: number): Scan {
  const [device, os, browser] = oneOf(random, phones)
  const [country, city] = cities > 0 ? ['DE', `City ${Math.floor(random() * cities)}`] : oneOf(random, places)
  const bot = random() < 0.08
  return {
    ...noValues,
    linkId,
    at: start + Math.floor((oneOf(random, hours) + random()) * 3_600_000),
    source: random() < 0.75 ? 'qr' : 'link',
    device: bot ? null : device,
    os: bot ? null : os,
    browser: bot ? null : browser,
    country,
    city,
    referrer: oneOf(random, referrers),
    bot,
    answer: null,
    visitor: Math.floor(random() * 150) * KEYS_OF_ADDRESS,
  }
}
