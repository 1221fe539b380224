// Claim: for the calls of a visit, `bounded-cache` is faster than `lru-cache` (11.2.2, its last version under the ISC licence), at a slightly lower
// hit rate with the same bound. Run with --expose-gc; `LRU=<module>` names another version.
import { spawnSync } from 'node:child_process'
import type { LRUCache } from 'lru-cache'
import { createBoundedCache, type BoundedCache } from '../src/lib/bounded-cache.ts'
import { median, printTable } from './support.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 7)
const { LRUCache: Lru } = (await import(process.env['LRU'] ?? 'lru-cache')) as {
  LRUCache: typeof LRUCache
}
const collect = globalThis.gc
if (collect === undefined) throw new Error('run with --expose-gc')

/** The bound of the link cache, and a common size of its entries. */
const MAX_WEIGHT = 16 * 1024 * 1024
const WEIGHT = 1500
const FITTING = Math.floor(MAX_WEIGHT / WEIGHT)

function openLru(max?: number): BoundedCache<object> {
  const cache = new Lru<string, object>({ maxSize: MAX_WEIGHT, ...(max !== undefined && { max }) })
  return {
    get: (key) => cache.get(key),
    set: (key, value, size) => void cache.set(key, value, { size }),
    delete: (key) => void cache.delete(key),
    clear: () => cache.clear(),
  }
}

const contenders: Record<string, () => BoundedCache<object>> = {
  'bounded-cache': () => createBoundedCache(MAX_WEIGHT),
  'lru-cache': () => openLru(),
  'lru-cache, max as well': () => openLru(FITTING),
}

// Seven letters each, as codes have; flat strings, as slices of a request's path are.
const KEYS = Array.from({ length: 200_000 }, (_, at) => Buffer.from(`k${100_000 + at}`).toString('latin1'))
const value = { live: true }

/** A sequence of keys from a separate generator, so that each contender receives the same. */
function draw(next: (random: number) => number): string[] {
  let state = 1
  return Array.from({ length: 500_000 }, () => {
    state = (state * 48_271) % 2_147_483_647
    return KEYS[next(state / 2_147_483_647)] ?? ''
  })
}
const hot = draw((random) => Math.floor(random * 1000))
const never = draw((random) => 100_000 + Math.floor(random * 100_000))
const all = draw((random) => Math.floor(random * 200_000))
/** Popularity as among links: the rank of the next link is log-uniform, so each doubling of the rank has the same share. */
const popular = draw((random) => Math.floor(200_000 ** random) - 1)

interface Work {
  name: string
  prepare: (cache: BoundedCache<object>) => void
  /** @returns the number of hits */
  run: (cache: BoundedCache<object>) => number
}

const fill = (cache: BoundedCache<object>) => {
  for (const key of KEYS.slice(0, FITTING)) cache.set(key, value, WEIGHT)
  for (const key of hot) cache.get(key)
}
const getAll = (keys: string[]) => (cache: BoundedCache<object>) => {
  let hits = 0
  for (const key of keys) if (cache.get(key) !== undefined) hits++
  return hits
}
const works: Work[] = [
  {
    name: 'get, found',
    prepare(cache) {
      for (const key of KEYS.slice(0, 1000)) cache.set(key, value, WEIGHT)
    },
    run: getAll(hot),
  },
  { name: 'get, not found', prepare: fill, run: getAll(never) },
  {
    name: 'set of a new key, with eviction',
    prepare: fill,
    run(cache) {
      for (const key of all) cache.set(key, value, WEIGHT)
      return 0
    },
  },
  {
    name: 'get, and set when not found, by popularity',
    prepare: fill,
    run(cache) {
      let hits = 0
      for (const key of popular) {
        if (cache.get(key) === undefined) cache.set(key, value, WEIGHT)
        else hits++
      }
      return hits
    },
  },
]

/** The heap that a full cache takes, without keys and values. */
function bytesOf(open: () => BoundedCache<object>): { entries: number; bytes: number } {
  for (let each = 0; each < 4; each++) collect?.()
  const before = process.memoryUsage()
  const cache = open()
  for (const key of KEYS.slice(0, 4 * FITTING)) cache.set(key, value, WEIGHT)
  for (let each = 0; each < 4; each++) collect?.()
  const after = process.memoryUsage()
  const used = after.heapUsed + after.external - before.heapUsed - before.external
  const entries = KEYS.filter((key) => cache.get(key) !== undefined).length
  return { entries, bytes: used / entries }
}
const measured = contenders[process.argv[2] ?? '']
if (measured !== undefined) {
  console.log(JSON.stringify(bytesOf(measured)))
  process.exit()
}

/** Nanoseconds per call, and the number of hits. */
function measure({ prepare, run }: Work, cache: BoundedCache<object>): { ns: number; hits: number } {
  prepare(cache)
  const began = performance.now()
  const hits = run(cache)
  return { ns: ((performance.now() - began) * 1e6) / popular.length, hits }
}

/** Measures each contender in each round; the first round warms up the compiler. */
function compare(work: Work): Record<string, string | number>[] {
  const rounds = Array.from({ length: ROUNDS + 1 }, () =>
    Object.values(contenders).map((open) => measure(work, open())),
  ).slice(1)
  const medians = Object.keys(contenders).map((_, index) => median(rounds.map((round) => round[index]?.ns ?? 0)))
  return Object.keys(contenders).map((by, index) => ({
    work: work.name,
    by,
    'ns per call': Math.round(medians[index] ?? 0),
    ratio: ((medians[index] ?? 0) / (medians[0] ?? 0)).toFixed(2),
    hits: `${(((rounds[0]?.[index]?.hits ?? 0) / popular.length) * 100).toFixed(1)} %`,
  }))
}
printTable('One key of seven letters, some 11,000 entries in 16 MiB; ratio to bounded-cache', works.flatMap(compare))
printTable(
  'Memory of a cache after inserting four times its bound, each in a separate process',
  Object.keys(contenders).map((by) => {
    const { stdout } = spawnSync(process.execPath, ['--expose-gc', import.meta.filename, by], { encoding: 'utf8' })
    const { entries, bytes } = JSON.parse(stdout) as ReturnType<typeof bytesOf>
    return { by, 'entries held': entries, 'bytes per entry': Math.round(bytes) }
  }),
)
