import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneOf, seededRandom, type Random } from '../../../test/support/random.ts'
import { fill, warehouses } from '../../../test/support/warehouses.ts'
import { dateOfDay, dayOf } from '../calendar.ts'
import type { Cursor } from './row-queries.ts'
import type { TableName } from './export.ts'
import type { StatisticsCalls } from './calls.ts'
import { unpackTotals } from './totals.ts'
import type { FoldedScan } from '../scan.ts'
import type { Filters, StatsQuery } from './stats-query.ts'
import { noValues } from '../../../test/support/no-values.ts'

const DAY = 86_400_000
const END = Date.UTC(2026, 10, 21, 21, 50)
const LINKS = [1, 2, 3, 2 ** 40]
const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kolkata', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']

/** Few values and many, so that several have as many scans as others; less than a rollup holds, which is a matter of order. */
function randomScans(random: Random, count: number, days: number): FoldedScan[] {
  return Array.from({ length: count }, (_, index) => ({
    ...noValues,
    linkId: oneOf(random, LINKS),
    at: Math.floor(END - days * DAY + ((index + random()) / count) * days * DAY),
    source: oneOf(random, ['qr', 'link'] as const),
    device: oneOf(random, ['mobile', 'desktop', null] as const),
    os: oneOf(random, ['iOS', 'Android', null]),
    browser: oneOf(random, ['Safari', 'Chrome', 'ＦireFox', '“quoted”']),
    country: oneOf(random, ['DE', 'US', null]),
    city: oneOf(random, ['Berlin', 'Ärzen', 'Ōsaka', 'a', 'A', null]),
    referrer: `${Math.floor(random() * 100)}.example.com`,
    bot: random() < 0.3,
    answer: oneOf(random, [null, null, 1, 2, 10]),
    visitor: null,
    first: random() < 0.5,
  }))
}

function randomQuery(random: Random): StatsQuery {
  return {
    days: oneOf(random, [1, 1, 2, 7, 30, 31, 100, 365]),
    timeZone: oneOf(random, zones),
    audience: oneOf(random, ['all', 'human', 'bot'] as const),
    previous: random() < 0.5,
    heat: random() < 0.5,
    limit: random() < 0.5 ? undefined : oneOf(random, [1, 2, 11, 1000]),
    compare: random() < 0.5 ? undefined : oneOf(random, ['previous', 'year'] as const),
    to: random() < 0.5 ? undefined : dateOfDay(dayOf(END) - Math.floor(random() * 150)),
    interval: random() < 0.5 ? undefined : oneOf(random, ['day', 'week', 'month', 'hour'] as const),
    filters: random() < 0.5 ? undefined : randomFilters(random),
  }
}

function randomFilters(random: Random): Filters {
  const values = {
    source: ['qr', 'link'],
    device: ['mobile', '~', 'tv'],
    browser: ['ＦireFox', '“quoted”', 'Chrome'],
    country: ['DE', '~'],
    city: ['Ärzen', 'a', '~'],
    referrer: ['1.example.com', '2.example.com'],
    answer: ['link', '2', '10'],
    placement: ['~'],
  }
  const chosen = Object.entries(values).filter(() => random() < 0.3)
  return Object.fromEntries(chosen.map(([name, known]) => [name, known.filter(() => random() < 0.7)]))
}

async function exported({ exportPage }: StatisticsCalls, table: TableName, linkId: number): Promise<string[]> {
  const pages: string[] = []
  for (let after: Cursor | undefined = []; after !== undefined;) {
    const { text: csv, next } = await exportPage(table, linkId, after, 97)
    pages.push(csv)
    after = next
  }
  return pages
}

/** The ids of values, by which a page is ordered, differ between warehouses. */
async function exportedCounts(reading: StatisticsCalls, linkId: number): Promise<string[]> {
  const tables = (['quarterHours', 'days', 'months'] as const).map((table) => exported(reading, table, linkId))
  return (await Promise.all(tables)).map((pages) => pages.join('').split('\r\n').toSorted().join())
}

test('both warehouses return the same statistics of the same scans, to the byte', async (t) => {
  const random = seededRandom(t)
  const scans = randomScans(random, 3000, 200)
  const opened: StatisticsCalls[] = []
  for (const { open } of warehouses) {
    const warehouse = await open(t)
    if (warehouse === undefined) return
    await fill(warehouse, scans)
    opened.push(warehouse)
  }
  const same = async (read: (reading: StatisticsCalls) => Promise<unknown>, about: string) => {
    const [expected, ...others] = await Promise.all(
      opened.map(async (warehouse) => JSON.stringify(await read(warehouse))),
    )
    for (const other of others) assert.equal(other, expected, about)
  }
  const links = [...LINKS, 99]
  for (let round = 0; round < 40; round++) {
    const query = randomQuery(random)
    const now = Math.floor(END + (random() - 0.7) * 40 * DAY)
    const linkId = oneOf(random, links)
    const about = JSON.stringify({ linkId, ...query, now: new Date(now) })
    await same(({ stats }) => stats(linkId, query, now), about)
    const counted = links.map((id) => ({ id, isCounted: random() < 0.8 }))
    await same(({ statsOfMany }) => statsOfMany([...counted, ...counted.slice(0, 2)], query, now), about)
  }
  await same(({ totals }) => totals([...links, 1]), 'totals')
  await same(async (reading) => {
    const brief = unpackTotals(await reading.briefTotals([...links, 1, 4711]))
    const expected = (await reading.totals([...links, 1, 4711])).map(({ scans, humans, last_scan_at }) => ({
      scans,
      humans,
      last_scan_at,
    }))
    assert.deepEqual(brief, expected)
    return brief
  }, 'totals in brief')
  for (const linkId of links) await same((reading) => exported(reading, 'scans', linkId), `the export of ${linkId}`)
  for (const linkId of links) await same((reading) => exportedCounts(reading, linkId), `the counts of ${linkId}`)
})

for (const { name, open } of warehouses) {
  test(`${name} reads nothing at once that counts more than 20,000 scans one by one`, async (t) => {
    const warehouse = await open(t)
    if (warehouse === undefined) return
    const random = seededRandom(t)
    const night = Date.UTC(2026, 10, 21)
    const scans = randomScans(random, 20_500, 1).map((scan) => {
      return { ...scan, linkId: 1, at: night + Math.floor((scan.at - (END - DAY)) / 3) }
    })
    await fill(warehouse, scans)
    const now = END + 60_000
    const query = { days: 2, audience: 'all', previous: false } as const
    const links = [1, 2].map((id) => ({ id, isCounted: true }))
    const inUtc = { ...query, timeZone: 'UTC' }
    // There, a day begins at ten: what came before is subtracted from that of UTC.
    const inKiritimati = { ...query, days: 1, timeZone: 'Pacific/Kiritimati' }
    assert.deepEqual(await warehouse.quickStats(1, inUtc, now), await warehouse.stats(1, inUtc, now))
    assert.deepEqual(
      await warehouse.quickStatsOfMany(links, inUtc, now),
      await warehouse.statsOfMany(links, inUtc, now),
    )
    assert.equal(await warehouse.quickStats(1, inKiritimati, now), undefined)
    assert.equal(await warehouse.quickStatsOfMany(links, inKiritimati, now), undefined)
    assert.deepEqual(await warehouse.quickStats(2, inKiritimati, now), await warehouse.stats(2, inKiritimati, now))
  })
}

for (const { name, open } of warehouses) {
  test(`${name} reads more than 20,000 scans for filters only when it may take long, and has them in memory then`, async (t) => {
    const warehouse = await open(t)
    if (warehouse === undefined) return
    await fill(
      warehouse,
      randomScans(seededRandom(t), 22_000, 20).map((scan) => ({ ...scan, linkId: 1 })),
    )
    const query: StatsQuery = { days: 30, timeZone: 'UTC', audience: 'all', filters: { device: ['mobile'] } }
    const links = [{ id: 1, isCounted: true }]
    assert.equal(await warehouse.quickStats(1, query, END), undefined)
    assert.equal(await warehouse.quickStatsOfMany(links, query, END), undefined)
    const asked = warehouse.stats(1, query, END, 7)
    await warehouse.abandon(7)
    await assert.rejects(asked, { name: 'AbortError' })
    const stats = await warehouse.stats(1, query, END, 8)
    assert.deepEqual(await warehouse.quickStats(1, query, END), stats)
    const [added] = randomScans(seededRandom(t), 1, 1)
    await warehouse.add([{ ...(added ?? assert.fail()), linkId: 1, device: 'mobile', at: END - 1 }])
    assert.equal((await warehouse.quickStats(1, query, END))?.totals.scans, stats.totals.scans + 1)
  })
}
