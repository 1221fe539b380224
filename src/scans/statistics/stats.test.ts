import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { oneOf, seededRandom } from '../../../test/support/random.ts'
import { fill, warehouses, type TestWarehouse } from '../../../test/support/warehouses.ts'
import type { FoldedScan } from '../scan.ts'
import { countPeriods } from './stats.ts'
import type { Audience, StatsQuery } from './stats-query.ts'
import { noValues } from '../../../test/support/no-values.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** In Berlin and New York, clocks changed some weeks before. */
const NOW = Date.UTC(2026, 10, 21, 21, 50)

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kolkata',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'Australia/Lord_Howe',
]

function randomScans(random: () => number, count: number, days: number, end = NOW): FoldedScan[] {
  return Array.from({ length: count }, (_, index) => ({
    ...noValues,
    linkId: 1,
    at: Math.floor(end - days * DAY + ((index + random()) / count) * days * DAY),
    source: oneOf(random, ['qr', 'link'] as const),
    device: oneOf(random, ['mobile', 'desktop', null] as const),
    os: 'iOS',
    browser: oneOf(random, ['Safari', 'Chrome']),
    country: oneOf(random, ['DE', 'US', null]),
    city: null,
    referrer: `${Math.floor(random() * 30)}.example.com`,
    bot: random() < 0.3,
    answer: oneOf(random, [null, null, 1]),
    visitor: null,
    first: random() < 0.5,
  }))
}

/** The local date and hour of a time, by the runtime's formatter instead of the code under test. */
function clockOf(timeZone: string) {
  const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return (at: number) => {
    const [date = '', time = ''] = format.format(at).split(' ')
    return { date, time }
  }
}

const isOf = (audience: Audience) => (scan: FoldedScan) => audience === 'all' || scan.bot === (audience === 'bot')

/** Totals, counted scan by scan. */
function countsOf(scans: FoldedScan[]) {
  const count = (test: (scan: FoldedScan) => boolean) => scans.filter(test).length
  return {
    scans: scans.length,
    unique_visitors: count(({ first }) => first),
    humans: count(({ bot }) => !bot),
    bots: count(({ bot }) => bot),
    qr: count(({ source }) => source === 'qr'),
    link: count(({ source }) => source === 'link'),
  }
}

function audiencesOf(scans: FoldedScan[]) {
  const [humans, bots] = (['human', 'bot'] as const).map((audience) => countsOf(scans.filter(isOf(audience))))
  const pick = (counts = countsOf([])) => ({ scans: counts.scans, unique_visitors: counts.unique_visitors })
  return { humans: pick(humans), bots: pick(bots) }
}

/** The breakdown of a dimension, counted scan by scan. */
function valuesOf(scans: FoldedScan[], name: 'device' | 'country' | 'answer' | 'referrer') {
  const text = (scan: FoldedScan) => (name === 'answer' ? String(scan.answer ?? 'link') : scan[name])
  return [...Map.groupBy(scans, text)]
    .map(([value, same]) => ({
      value,
      scans: same.length,
      unique_visitors: same.filter(({ first }) => first).length,
    }))
    .sort((a, b) => b.scans - a.scans || (a.value === null ? 1 : b.value === null || a.value < b.value ? -1 : 1))
}

function dateBefore(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) - days * DAY).toISOString().slice(0, 10)
}

const queries: Pick<StatsQuery, 'days' | 'audience'>[] = [
  { days: 1, audience: 'all' },
  { days: 1, audience: 'bot' },
  { days: 7, audience: 'human' },
  { days: 40, audience: 'all' },
]

/** The label of the period that a local day belongs to, in a window that begins on the first one. */
function periodOf(date: string, first: string, interval: StatsQuery['interval']): string {
  const begin =
    interval === 'week' ? dateBefore(date, weekdayOf(date)) : interval === 'month' ? `${date.slice(0, 7)}-01` : date
  return begin > first ? begin : first
}

/** The label of an hour, by the runtime's formatter. */
function hourOf(timeZone: string) {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  const clock = clockOf(timeZone)
  return (at: number) => {
    const { date, time } = clock(at)
    const offset = format.format(at).split('GMT')[1] || '+00:00'
    return `${date}T${time.slice(0, 2)}:00${offset}`
  }
}

/** The series of a window, counted scan by scan. */
function seriesOf(counted: FoldedScan[], first: string, last: string, { timeZone, interval }: StatsQuery) {
  const [clock, hour] = [clockOf(timeZone), hourOf(timeZone)]
  const labelOf = (at: number) => (interval === 'hour' ? hour(at) : periodOf(clock(at).date, first, interval))
  const labels = new Set<string>()
  if (interval === 'hour') {
    for (let at = Date.parse(first) - DAY; at < Date.parse(last) + 2 * DAY; at += HOUR / 4) {
      const { date } = clock(at)
      if (date >= first && date <= last) labels.add(hour(at))
    }
  } else {
    for (let date = first; date <= last; date = dateBefore(date, -1)) labels.add(periodOf(date, first, interval))
  }
  const byLabel = Map.groupBy(counted, ({ at }) => labelOf(at))
  return [...labels].map((date) => {
    const { scans, unique_visitors } = countsOf(byLabel.get(date) ?? [])
    return { date, scans, unique_visitors }
  })
}

/** The scans of each hour of the week, counted scan by scan. */
function heatOf(counted: FoldedScan[], clock: ReturnType<typeof clockOf>): number[][] {
  const heat = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0))
  for (const { at } of counted) {
    const { date, time } = clock(at)
    const [day, hour] = [heat[weekdayOf(date)] ?? [], Number(time.slice(0, 2))]
    day[hour] = (day[hour] ?? 0) + 1
  }
  return heat
}

/** From 0 for Monday. */
const weekdayOf = (date: string): number => (new Date(date).getUTCDay() + 6) % 7

/** Compares what the warehouse reads with a count of every scan. */
async function compare(warehouse: TestWarehouse, scans: FoldedScan[], query: StatsQuery, now: number): Promise<void> {
  const { days, timeZone, audience } = query
  const clock = clockOf(timeZone)
  const local = scans.map((scan) => ({ ...clock(scan.at), scan }))
  const last = query.to ?? clock(now).date
  const first = dateBefore(last, days - 1)
  const inWindow = local.filter(({ date }) => date >= first && date <= last).map(({ scan }) => scan)
  const counted = inWindow.filter(isOf(audience))
  const stats = await warehouse.stats(1, { ...query, previous: true }, now)
  const about = JSON.stringify([query, now])
  assert.deepEqual([stats.days, stats.from, stats.to], [days, first, last], about)
  assert.deepEqual(stats.totals, countsOf(counted), about)
  assert.deepEqual(stats.by_audience, audiencesOf(inWindow), about)
  assert.deepEqual(stats.series, seriesOf(counted, first, last, query), about)
  for (const name of ['device', 'country', 'answer', 'referrer'] as const)
    assert.deepEqual(stats.breakdowns[name], valuesOf(counted, name).slice(0, query.limit ?? 10), `${name} ${about}`)
  assert.deepEqual(stats.heat, query.heat === true ? heatOf(counted, clock) : undefined, about)
  const hours = stats.hours?.reduce((sum, each) => sum + each.scans, 0)
  assert.equal(hours, days === 1 ? counted.length : undefined, about)
  const isToday = last === clock(now).date
  // A comparison ends with the last quarter of an hour that is over.
  const cut = isToday ? clock(now - (now % (15 * 60_000))).time : '24:00'
  const before = earlier(local, dateBefore(first, days), dateBefore(last, days), cut)
  assert.deepEqual(stats.previous?.totals, countsOf(before.filter(isOf(audience))), about)
  assert.deepEqual(stats.previous?.by_audience, audiencesOf(before), about)
  assert.equal(stats.previous?.from, dateBefore(first, days))
  const until = `${dateBefore(last, days)}T${cut}:00`
  if (isToday && !until.startsWith(LEFT_OUT)) assert.ok(stats.previous?.until.startsWith(until), about)
  if (query.compare === undefined) return assert.equal(stats.compared, undefined)
  const back = query.compare === 'year' ? yearBefore : (date: string) => dateBefore(date, days)
  const [from, to] = [back(first), back(last)]
  const then = earlier(local, from, to, cut)
  const totals = countsOf(then.filter(isOf(audience)))
  assert.deepEqual(stats.compared, { from, to, totals, by_audience: audiencesOf(then) }, about)
}

/** The scans of an earlier window, until a time of its last day. */
function earlier(local: { date: string; time: string; scan: FoldedScan }[], from: string, to: string, cut: string) {
  return local
    .filter(({ date, time }) => date >= from && (date < to || (date === to && time < cut)))
    .map(({ scan }) => scan)
}

function yearBefore(date: string): string {
  const sameDay = `${Number(date.slice(0, 4)) - 1}${date.slice(4)}`
  return sameDay.endsWith('-02-29') ? sameDay.replace('29', '28') : sameDay
}

/** The day that Samoa left out. */
const LEFT_OUT = '2011-12-30'

/** Days about which windows are easily wrong. */
const moments: [timeZone: string, at: string][] = [
  ['Europe/Berlin', '2026-10-25T20:00Z'],
  ['Europe/Berlin', '2025-03-30T20:00Z'],
  ['America/St_Johns', '2026-11-01T22:00Z'],
  ['America/St_Johns', '2026-03-08T22:00Z'],
  ['Pacific/Apia', '2011-12-31T04:00Z'],
  ['Pacific/Apia', '2012-04-01T04:00Z'],
  ['Asia/Kathmandu', '2024-02-29T12:00Z'],
  ['Asia/Kathmandu', '2024-12-31T20:00Z'],
  ['UTC', '2028-02-29T20:00Z'],
]

/** A query of any window, of which many end on a day or the day before. */
function randomQuery(random: () => number, timeZone: string, now: number): StatsQuery {
  const days = oneOf(random, [1, 2, 7, 31, 60, 366])
  const to = dateBefore(clockOf(timeZone)(now).date, oneOf(random, [0, 1, 2, 30, 59, 60, 100]))
  const interval = oneOf(random, ['day', 'week', 'month', 'hour'] as const)
  return {
    days,
    to: random() < 0.8 ? to : undefined,
    timeZone,
    audience: oneOf(random, ['all', 'human', 'bot'] as const),
    interval: interval === 'hour' && days > 31 ? undefined : interval,
    heat: random() < 0.5,
    limit: random() < 0.5 ? undefined : oneOf(random, [1, 2, 11, 1000]),
    compare: random() < 0.3 ? undefined : oneOf(random, ['previous', 'year', 'year'] as const),
  }
}

for (const { name, open } of warehouses) {
  async function openFilled(t: TestContext, scans: FoldedScan[]): Promise<TestWarehouse | undefined> {
    const warehouse = await open(t)
    if (warehouse !== undefined) await fill(warehouse, scans)
    return warehouse
  }

  test(`windows of every time zone, and those before them, have the counts of their scans: ${name}`, async (t) => {
    const scans = randomScans(seededRandom(t), 1500, 90)
    const warehouse = await openFilled(t, scans)
    if (warehouse === undefined) return
    for (const timeZone of zones) {
      for (const hour of [0, 7, 16]) {
        for (const query of queries) await compare(warehouse, scans, { ...query, timeZone }, NOW - hour * HOUR)
      }
    }
  })

  test(`windows of any past, in periods of any length, have the counts of their scans: ${name}`, async (t) => {
    const random = seededRandom(t)
    for (const [timeZone, moment] of moments) {
      const center = Date.parse(moment)
      const scans = [
        ...randomScans(random, 900, 900, center + 40 * DAY),
        ...randomScans(random, 400, 4, center + 2 * DAY),
      ]
      const warehouse = await openFilled(t, scans)
      if (warehouse === undefined) return
      for (let round = 0; round < 12; round++) {
        const now = center + Math.floor(random() * HOUR) + oneOf(random, [0, 0, 1, 2, 40]) * DAY
        await compare(warehouse, scans, randomQuery(random, timeZone, now), now)
      }
    }
  })

  test(`a day on which clocks change has 23 hours or 25, each with its own scans: ${name}`, async (t) => {
    const random = seededRandom(t)
    const days: Record<string, [now: number, length: number][]> = {
      'Europe/Berlin': [
        [Date.UTC(2026, 2, 29, 20), 23],
        [Date.UTC(2026, 9, 25, 20), 25],
      ],
      // By half an hour: the last one of the longer day has only that.
      'Australia/Lord_Howe': [
        [Date.UTC(2026, 9, 4, 10), 24],
        [Date.UTC(2026, 3, 5, 10), 25],
      ],
      // At midnight: the shorter day begins at one.
      'America/Santiago': [
        [Date.UTC(2026, 8, 6, 20), 23],
        [Date.UTC(2026, 3, 4, 20), 25],
      ],
    }
    for (const [timeZone, changes] of Object.entries(days)) {
      for (const [now, length] of changes) {
        const scans = randomScans(random, 400, 2, now)
        const warehouse = await openFilled(t, scans)
        if (warehouse === undefined) return
        const { hours = [], totals } = await warehouse.stats(1, { days: 1, timeZone, audience: 'all' }, now)
        assert.equal(hours.length, length, `${timeZone} ${new Date(now).toISOString()}`)
        const begins = hours.map(({ at }) => Date.parse(at))
        for (const [index, { at, scans: count }] of hours.entries()) {
          const [begin = 0, end = Infinity] = [begins[index], begins[index + 1]]
          assert.equal(count, scans.filter((scan) => scan.at >= begin && scan.at < end).length, at)
        }
        assert.equal(
          hours.reduce((sum, each) => sum + each.scans, 0),
          totals.scans,
        )
      }
    }
  })

  test(`a day with more values than are counted apart adds up in a window that begins or ends within it: ${name}`, async (t) => {
    const scans = randomScans(seededRandom(t), 1200, 2).map((scan, at) => ({
      ...scan,
      referrer: `${at % 400}.example.com`,
    }))
    const warehouse = await openFilled(t, scans)
    if (warehouse === undefined) return
    for (const timeZone of zones) {
      const clock = clockOf(timeZone)
      const today = clock(NOW).date
      const query: StatsQuery = { days: 1, timeZone, audience: 'all' }
      const { totals, breakdowns } = await warehouse.stats(1, query, NOW)
      assert.equal(totals.scans, scans.filter(({ at }) => clock(at).date === today).length, timeZone)
      for (const { value, scans: count } of breakdowns.referrer) {
        assert.ok(count > 0, `${timeZone} ${value}`)
        const all = scans.filter(({ at, referrer }) => referrer === value && clock(at).date === today).length
        assert.ok(value === '(other)' || count <= all, `${timeZone} ${value}: ${count} of ${all}`)
      }
    }
  })
}

test('both sources add up to the scans of the window, also where raw scans at its edge have been deleted', () => {
  const periods = [{ date: '2026-09-11' }]
  const sums = [{ humans: 2, humanFirsts: 1, bots: 1, botFirsts: 0 }]
  const totalsOf = (qr: number) => countPeriods(periods, sums, 'all', { qr }).totals
  assert.deepEqual([totalsOf(1).qr, totalsOf(1).link], [1, 2])
  // The whole UTC day had more.
  assert.deepEqual([totalsOf(5).qr, totalsOf(5).link], [3, 0])
})
