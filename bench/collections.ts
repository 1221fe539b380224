// Claim: in SQLite, the statistics of 30 days of a collection of 10,000 links with 5,000,000 scans take less than 100 ms (p50) once
// asked for, also while scans come in; and what they cost as the links grow from 100 to 10,000, in both stores. The first question of a
// collection reads all its rows, apart from others, in steps: the longest time between two turns of the event loop is what others
// wait. The stores are asked without HTTP and queues, one question at a time, as the thread of the warehouse does. PostgreSQL runs on
// this machine, without fsync; it takes half an hour to fill, or minutes with SCANS=1000000. BENCH_STORES names one store.
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { createStatisticsCalls, type StatisticsCalls } from '../src/scans/statistics/calls.ts'
import type { FoldedScan } from '../src/scans/scan.ts'
import { createBlockCache } from '../src/scans/statistics/filtered/block-cache.ts'
import { createSetCache } from '../src/scans/statistics/link-sets/set-cache.ts'
import { createLongReading } from '../src/scans/sqlite/long-reading.ts'
import { openRowQueries } from '../src/scans/sqlite/row-queries.ts'
import { openSqliteWarehouse } from '../src/scans/sqlite/warehouse.ts'
import { openRowQueries as openPostgresQueries } from '../src/nodes/scans/row-queries.ts'
import { makeScan } from './scans.ts'
import { median, printTable, temporaryFolder } from './support.ts'
import { openPostgresScans } from './postgres-scans.ts'

const SCANS = Number(process.env['SCANS'] ?? 5_000_000)
const LINKS = Number(process.env['LINKS'] ?? 10_000)
/** The days over which the scans are spread. */
const DAYS = Number(process.env['DAYS'] ?? 365)
const DAY = 86_400_000
const CHUNK = 20_000
const RUNS = 15
/** Scans that come in before a question. */
const COMING = 20
const now = Date.UTC(2026, 10, 21, 18)
const query = { days: 30, timeZone: process.env['TZ_OF'] ?? 'UTC', audience: 'all' } as const

interface Store {
  add: (scans: FoldedScan[]) => Promise<void>
  /** With nothing in memory. */
  open: () => StatisticsCalls
  close: () => Promise<void>
}

async function openSqlite(): Promise<Store> {
  const file = join(temporaryFolder(), 'scans.db')
  const warehouse = openSqliteWarehouse(file)
  let position = 0
  return {
    async add(scans) {
      warehouse.add(scans, { journal: 'bench', position: (position += scans.length), lost: 0, isDamaged: false })
    },
    open() {
      const [blocks, sets] = [createBlockCache(), createSetCache()]
      const { stats, statsOfMany, statsOfSet } = createLongReading(file, warehouse.log, blocks, sets)
      const quick = createStatisticsCalls(openRowQueries(warehouse), blocks, sets)
      return { ...quick, stats, statsOfMany, statsOfSet }
    },
    close: async () => warehouse.close(),
  }
}

async function openPostgres(): Promise<Store> {
  const { query, add, close } = await openPostgresScans()
  return { add, close, open: () => createStatisticsCalls(openPostgresQueries(query, 'bench')) }
}

/** A scan of one of the links, which have about as many each. */
const scanAt = (number: number, at: number): FoldedScan => {
  const linkId = 1 + ((Math.imul(number, 0x9e3779b1) >>> 0) % LINKS)
  return { ...makeScan(number, linkId, Math.floor(at), true), first: number % 5 === 0 }
}

async function fill({ add }: Store): Promise<void> {
  const step = (DAYS * DAY) / SCANS
  for (let from = 0; from < SCANS; from += CHUNK)
    await add(
      Array.from({ length: Math.min(CHUNK, SCANS - from) }, (_, index) =>
        scanAt(from + index, now - DAYS * DAY + (from + index) * step),
      ),
    )
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function timesOf(
  work: (run: number) => Promise<unknown>,
  before: (run: number) => Promise<void>,
): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) {
    await before(run)
    times.push(await timeOf(() => work(run)))
  }
  return median(times)
}

async function measure(name: string, store: Store): Promise<Record<string, string>[]> {
  const table: Record<string, string>[] = []
  let coming = SCANS
  const one = store.open()
  await one.quickStats(1, query, now)
  const ofOne = await timesOf(
    async () => one.quickStats(1, query, now),
    async () => {},
  )
  for (let links = LINKS / 100; links <= LINKS; links *= 10) {
    const calls = store.open()
    const ids = Array.from({ length: links }, (_, at) => at + 1)
    const ask = async () =>
      (await calls.quickStatsOfSet({ key: 'c', ids }, query, now)) ?? calls.statsOfSet({ key: 'c', ids }, query, now)
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const first = await timeOf(ask)
    await sleep(10)
    delay.disable()
    const warm = await timesOf(ask, async () => {})
    const growing = await timesOf(ask, async () => {
      await store.add(Array.from({ length: COMING }, () => scanAt(coming++, now - 1000)))
    })
    table.push({
      store: name,
      links: links.toLocaleString('en'),
      'first ms': first.toFixed(0),
      'longest turn ms': (delay.max / 1e6).toFixed(0),
      'p50 ms': warm.toFixed(1),
      [`p50 ms after ${COMING} scans`]: growing.toFixed(1),
      'one link ms': ofOne.toFixed(1),
      ratio: (growing / ofOne).toFixed(1),
      'sum of links ms':
        links === LINKS && name === 'PostgreSQL' ? '-' : (await timeOf(() => sumOf(calls, ids))).toFixed(0),
    })
  }
  return table
}

/** What the statistics of each link would take. */
async function sumOf({ quickStats }: StatisticsCalls, ids: number[]): Promise<void> {
  for (const id of ids) await quickStats(id, query, now)
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
printTable(
  `Statistics of collections, of ${LINKS.toLocaleString('en')} links with ${SCANS.toLocaleString('en')} scans, 30 days`,
  results,
)
