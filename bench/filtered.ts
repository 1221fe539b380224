// Claims: statistics with filters count 1,000,000 raw scans of a link in less than 2,500 ms when they are asked for the first time, and
// in less than 500 ms (p50) from then on, in both stores. The stores are asked without HTTP and queues, one question at a time, as
// the thread of the warehouse does. PostgreSQL runs on this machine, without fsync. BENCH_STORES names one.
import { join } from 'node:path'
import { openRowQueries as openPostgresQueries } from '../src/nodes/scans/row-queries.ts'
import type { FoldedScan } from '../src/scans/scan.ts'
import { openRowQueries } from '../src/scans/sqlite/row-queries.ts'
import { openSqliteWarehouse } from '../src/scans/sqlite/warehouse.ts'
import { createStatisticsCalls } from '../src/scans/statistics/calls.ts'
import { createBlockCache } from '../src/scans/statistics/filtered/block-cache.ts'
import type { RowQueries } from '../src/scans/statistics/row-queries.ts'
import type { StatsQuery } from '../src/scans/statistics/stats-query.ts'
import { makeScan } from './scans.ts'
import { median, printTable, temporaryFolder } from './support.ts'
import { openPostgresScans } from './postgres-scans.ts'

const SCANS = Number(process.env['SCANS'] ?? 1_000_000)
const DAYS = 365
const DAY = 86_400_000
const CHUNK = 20_000
const FIRST_RUNS = 5
const RUNS = 15
const now = Date.UTC(2026, 10, 21, 18)

interface Store {
  add: (scans: FoldedScan[]) => Promise<void>
  rows: RowQueries
  close: () => Promise<void>
}

async function openSqlite(): Promise<Store> {
  const warehouse = openSqliteWarehouse(join(temporaryFolder(), 'scans.db'))
  let position = 0
  return {
    async add(scans) {
      warehouse.add(scans, { journal: 'bench', position: (position += scans.length), lost: 0, isDamaged: false })
    },
    rows: openRowQueries(warehouse),
    close: async () => warehouse.close(),
  }
}

async function openPostgres(): Promise<Store> {
  const { query, add, close } = await openPostgresScans()
  return { add, close, rows: openPostgresQueries(query, 'bench') }
}

/** All are of link 1, and spread over a year, in order. */
async function fill({ add }: Store): Promise<void> {
  const step = (DAYS * DAY) / SCANS
  for (let from = 0; from < SCANS; from += CHUNK) {
    const scans = Array.from({ length: Math.min(CHUNK, SCANS - from) }, (_, index) => {
      const at = from + index
      return { ...makeScan(at, 1, Math.floor(now - DAYS * DAY + at * step), true), first: at % 5 === 0 }
    })
    await add(scans)
  }
}

async function timesOf(runs: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  return times
}

const questions: [name: string, query: Partial<StatsQuery>][] = [
  ['of a country', { filters: { country: ['DE'] } }],
  ['of people, by hour and day of the week', { audience: 'human', heat: true, filters: { source: ['qr'] } }],
  [
    'of two devices that come by one site, in Berlin',
    { timeZone: 'Europe/Berlin', filters: { device: ['mobile', 'tablet'], referrer: ['site7.example.com'] } },
  ],
  ['of all sources, against the year before', { compare: 'year', filters: { source: ['qr', 'link'] } }],
]

async function measure(name: string, { rows }: Store): Promise<Record<string, string>[]> {
  const ask = (query: Partial<StatsQuery>, blocks = createBlockCache()) =>
    createStatisticsCalls(rows, blocks).stats(1, { days: DAYS, timeZone: 'UTC', audience: 'all', ...query }, now)
  const unfiltered = median(await timesOf(RUNS, () => ask({})))
  const table: Record<string, string>[] = []
  for (const [asked, query] of questions) {
    const first = await timesOf(FIRST_RUNS, () => ask(query))
    const blocks = createBlockCache()
    await ask(query, blocks)
    const warm = await timesOf(RUNS, () => ask(query, blocks))
    table.push({
      store: name,
      question: asked,
      'first, least ms': Math.min(...first).toFixed(0),
      'first, p50 ms': median(first).toFixed(0),
      'p50 ms': median(warm).toFixed(0),
      'unfiltered ms': unfiltered.toFixed(1),
      ratio: (median(warm) / unfiltered).toFixed(1),
      'in memory': `${(blocks.bytes() / 2 ** 20).toFixed(1)} MiB`,
    })
  }
  return table
}

const stores = { SQLite: openSqlite, PostgreSQL: openPostgres }
const wanted = process.env['BENCH_STORES']
const results = []
for (const [name, open] of Object.entries(stores)) {
  if (wanted !== undefined && wanted !== name) continue
  const store = await open()
  await fill(store)
  results.push(...(await measure(name, store)))
  await store.close()
}
printTable(`Statistics with filters of a link with ${SCANS.toLocaleString('en')} raw scans, ${DAYS} days`, results)
