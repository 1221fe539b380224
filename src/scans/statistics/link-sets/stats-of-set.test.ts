import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneOf, seededRandom, type Random } from '../../../../test/support/random.ts'
import { noValues } from '../../../../test/support/no-values.ts'
import { fill, warehouses, type TestWarehouse } from '../../../../test/support/warehouses.ts'
import type { FoldedScan } from '../../scan.ts'
import type { ValueCount } from '../breakdowns.ts'
import type { Stats } from '../stats.ts'
import type { StatsQuery } from '../stats-query.ts'
import { dateOfDay, dayOf } from '../../calendar.ts'

const DAY = 86_400_000
const END = Date.UTC(2026, 10, 21, 21, 50)
const LINKS = [1, 2, 3, 5, 8, 2 ** 40]
const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kolkata', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']

function randomScans(random: Random, count: number, [from, to]: [from: number, to: number]): FoldedScan[] {
  return Array.from({ length: count }, () => ({
    ...noValues,
    linkId: oneOf(random, LINKS),
    at: Math.floor(from + random() * (to - from)),
    source: oneOf(random, ['qr', 'link'] as const),
    device: oneOf(random, ['mobile', 'desktop', null] as const),
    os: oneOf(random, ['iOS', 'Android', null]),
    browser: oneOf(random, ['Safari', 'Chrome']),
    country: oneOf(random, ['DE', 'US', null]),
    city: oneOf(random, ['Berlin', 'Ärzen', null]),
    referrer: `${Math.floor(random() * 60)}.example.com`,
    placement: oneOf(random, [null, 'door', 'window']),
    bot: random() < 0.3,
    visitor: null,
    first: random() < 0.5,
  }))
}

function randomQuery(random: Random): StatsQuery {
  return {
    days: oneOf(random, [1, 2, 7, 30, 31, 100, 365]),
    timeZone: oneOf(random, zones),
    audience: oneOf(random, ['all', 'human', 'bot'] as const),
    previous: random() < 0.5,
    heat: random() < 0.5,
    limit: 1000,
    compare: random() < 0.5 ? undefined : oneOf(random, ['previous', 'year'] as const),
    to: random() < 0.5 ? undefined : dateOfDay(dayOf(END) - Math.floor(random() * 60)),
    interval: random() < 0.5 ? undefined : oneOf(random, ['day', 'week', 'month', 'hour'] as const),
    filters: random() < 0.8 ? undefined : { device: ['mobile', '~'] },
  }
}

/** Adds what is alike in two answers: numbers, and the rows of lists by what names them. */
function add(a: unknown, b: unknown, name = ''): unknown {
  if (typeof a === 'number' && typeof b === 'number') return name === 'days' ? a : a + b
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length === b.length && !isValues(a)) return a.map((each, at) => add(each, b[at] as unknown))
    return addValues(a as ValueCount[], b as ValueCount[])
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a
  const of = b as Record<string, unknown>
  return Object.fromEntries(Object.entries(a).map(([key, value]) => [key, add(value, of[key], key)]))
}

const isValues = (rows: unknown[]) => rows.length === 0 || (typeof rows[0] === 'object' && 'value' in (rows[0] ?? {}))
const keyOf = ({ value, country }: ValueCount) => JSON.stringify([value, country])

function addValues(a: ValueCount[], b: ValueCount[]): ValueCount[] {
  const sums = new Map<string, ValueCount>()
  for (const row of [...a, ...b]) {
    const sum = sums.get(keyOf(row))
    if (sum === undefined) sums.set(keyOf(row), { ...row })
    else {
      sum.scans += row.scans
      sum.unique_visitors += row.unique_visitors
    }
  }
  return [...sums.values()]
}

/** Values in an order that does not depend on how they were summed. */
const sorted = (stats: unknown): unknown => {
  const { breakdowns, ...rest } = stats as Stats
  const lists = Object.entries(breakdowns).map(([name, rows]) => [
    name,
    rows.filter(({ scans }) => scans > 0).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
  ])
  return { ...rest, breakdowns: Object.fromEntries(lists) as unknown }
}

/** Compares the statistics of a set with the sums of those of its links. */
async function compare(warehouse: TestWarehouse, ids: number[], query: StatsQuery, now: number): Promise<void> {
  const about = JSON.stringify({ ids, ...query, now: new Date(now) })
  const each: Stats[] = []
  for (const id of ids) each.push(await warehouse.stats(id, query, now))
  const answer = await warehouse.statsOfSet({ key: 'set', ids }, query, now)
  assert.ok('stats' in answer, about)
  assert.deepEqual(sorted(answer.stats), sorted(each.reduce((a, b) => add(a, b) as Stats)), about)
  const counts = each.flatMap(({ totals: { scans, unique_visitors: visitors } }) => [scans, visitors])
  assert.deepEqual([...answer.links], counts, about)
  const quick = await warehouse.quickStatsOfSet({ key: 'set', ids }, query, now)
  assert.deepEqual(quick, answer, about)
}

for (const { name, open } of warehouses) {
  test(`${name} returns of links together what each of them has, while they change, join and leave`, async (t) => {
    const warehouse = await open(t)
    if (warehouse === undefined) return
    const random = seededRandom(t)
    await fill(warehouse, randomScans(random, 3000, [END - 400 * DAY, END - DAY / 2]))
    // The same questions come again, as those of a page do.
    const queries = Array.from({ length: 8 }, () => randomQuery(random))
    let [now, ids] = [END + oneOf(random, [0, 8, 9]) * DAY - oneOf(random, [0, 7, 15]) * 3_600_000, LINKS.slice(0, 4)]
    for (let round = 0; round < (name === 'SQLite' ? 80 : 40); round++) {
      await compare(warehouse, ids, oneOf(random, queries), now)
      const act = random()
      const then = now + oneOf(random, [1000, 600_000, DAY / 3, 3 * DAY])
      if (act < 0.3) await fill(warehouse, randomScans(random, 20, [now, then]))
      // What comes late: of yesterday, and of months ago.
      else if (act < 0.4) await fill(warehouse, randomScans(random, 3, [now - oneOf(random, [1, 2, 90]) * DAY, now]))
      else if (act < 0.6) ids = LINKS.filter((id) => ids.includes(id) || random() < 0.5)
      else if (act < 0.7) ids = LINKS.filter((id) => id === 1 || (ids.includes(id) && random() < 0.7))
      if (act < 0.3 || random() < 0.3) now = then
    }
  })
  test(`${name} counts scans one by one again, as long as there may be more of them`, async (t) => {
    const warehouse = await open(t)
    if (warehouse === undefined) return
    const random = seededRandom(t)
    // There, a day begins at ten.
    const query: StatsQuery = { days: 1, timeZone: 'Pacific/Kiritimati', audience: 'all', limit: 1000 }
    const noon = Date.UTC(2026, 10, 21, 12)
    for (let now = noon; now < noon + 3_600_000; now += 600_000) {
      await fill(warehouse, randomScans(random, 30, [now - 600_000, now]))
      await compare(warehouse, LINKS, query, now)
    }
  })

  test(`${name} reads of links together no more than it may while others wait, and has it in memory then`, async (t) => {
    const warehouse = await open(t)
    if (warehouse === undefined) return
    const random = seededRandom(t)
    await fill(warehouse, randomScans(random, 8000, [END - 20 * DAY, END]))
    const set = { key: 'set', ids: LINKS }
    const query: StatsQuery = { days: 30, timeZone: 'UTC', audience: 'all' }
    assert.equal(await warehouse.quickStatsOfSet(set, query, END), undefined)
    const asked = warehouse.statsOfSet(set, query, END, 7)
    await warehouse.abandon(7)
    await assert.rejects(asked, { name: 'AbortError' })
    const answer = await warehouse.statsOfSet(set, query, END)
    assert.deepEqual(await warehouse.quickStatsOfSet(set, query, END), answer)
    const fewer = { key: 'set', ids: LINKS.slice(1) }
    assert.equal(await warehouse.quickStatsOfSet(fewer, query, END), undefined)
    const filtered = { ...query, filters: { device: ['mobile'] } }
    assert.ok('stats' in (await warehouse.statsOfSet(set, filtered, END)))
  })
}
