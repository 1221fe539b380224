import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayOf } from '../../calendar.ts'
import { createCountTable } from './count-table.ts'
import { readDays, readPeriods } from './refresh.ts'
import { createSetCache } from './set-cache.ts'
import { addPeriods, MAX_VALUES_OF_SET, type SetState } from './set-state.ts'
import type { PeriodRow } from '../set-queries.ts'
import { packKey } from '../../folding/increments.ts'
import { OTHER } from '../../text-ids.ts'

const NOW = Date.UTC(2026, 10, 27, 12)
const MEBIBYTE = 2 ** 20

/** Fills a state with so many bytes. */
const fillWith = (bytes: number) => async (state: SetState) => void state.sums.set('x', new Float64Array(bytes / 8))

/** Whether a set is still in memory, which asking for it would change. */
async function isKept(cache: ReturnType<typeof createSetCache>, key: string): Promise<boolean | undefined> {
  return cache.use({ key, ids: [1] }, NOW, true, async ({ sums }) => sums.size > 0)
}

test('sets take no more memory than they may: the least recently used go first, and one that is too large at once', async () => {
  const cache = createSetCache(() => 0, 10 * MEBIBYTE)
  const fill = (key: string, mebibytes: number) =>
    cache.use({ key, ids: [1] }, NOW, true, fillWith(mebibytes * MEBIBYTE))
  for (const key of ['a', 'b', 'c']) await fill(key, 4)
  assert.ok(cache.bytes() <= 10 * MEBIBYTE)
  assert.equal(await isKept(cache, 'b'), true)
  assert.equal(await isKept(cache, 'c'), true)
  assert.equal(await isKept(cache, 'a'), false)
  await fill('large', 6)
  assert.equal(await isKept(cache, 'large'), false)
})

test('a year without scans takes next to nothing, so that questions about nothing forget no other set', async () => {
  const rows = {
    signatures: async () => [],
    growing: async () => ({ signatures: [], slots: [], values: [] }),
    periods: async () => [],
    slotsOf: async () => [],
    sumsOf: async () => [],
    briefTotals: async () => [],
    missingOf: async () => 0,
  }
  const reading = { rows, spend: () => {}, pause: async () => {} }
  const cache = createSetCache(() => 0)
  await cache.use({ key: 'empty', ids: [1] }, NOW, true, async (state) => {
    const day = dayOf(NOW)
    await readDays(reading, state, [1], [day - 365, day - 1], () => 0)
    await readPeriods(reading, state, [1], { table: 'daily', from: day - 365, to: day - 1 }, () => 0)
  })
  assert.ok(cache.bytes() < 64 * 1024, String(cache.bytes()))
})

test('a set is forgotten when one of its links is removed, has left, or nobody has asked for it in an hour', async () => {
  let time = 0
  const cache = createSetCache(() => time)
  const fill = async () =>
    cache.use({ key: 'a', ids: [1, 2] }, NOW, true, async (state) => {
      state.ids = [1, 2]
      for (const id of state.ids)
        state.members.set(id, { signature: [], before: [], slots: new Int32Array(), values: new Int32Array() })
      await fillWith(8)(state)
    })
  const isThere = async (ids: number[]) => cache.use({ key: 'a', ids }, NOW, true, async ({ sums }) => sums.size > 0)
  await fill()
  assert.equal(await isThere([1, 2, 3]), true)
  cache.drop([3])
  assert.equal(await isThere([1, 2]), true)
  cache.drop([2])
  assert.equal(await isThere([1, 2]), false)
  await fill()
  assert.equal(await isThere([1]), false)
  await fill()
  time += 3_599_999
  cache.expire()
  assert.equal(await isThere([1, 2]), true)
  time += 3_600_001
  cache.expire()
  assert.equal(await isThere([1, 2]), false)
})

test('a set that is in use keeps who is quick from waiting, and others wait for it', async () => {
  const cache = createSetCache()
  const set = { key: 'a', ids: [1] }
  const { promise, resolve } = Promise.withResolvers<string>()
  const long = cache.use(set, NOW, true, () => promise)
  assert.equal(await cache.use(set, NOW, false, async () => 'quick'), undefined)
  let isStarted = false
  const next = cache.use(set, NOW, true, async () => (isStarted = true))
  await new Promise((done) => setImmediate(done))
  assert.equal(isStarted, false)
  resolve('long')
  assert.deepEqual(await Promise.all([long, next]), ['long', true])
  assert.equal(await cache.use(set, NOW, false, async () => 'quick'), 'quick')
})

test('of more values than are counted apart, the less frequent ones count as others, and no scan is lost', async () => {
  const cache = createSetCache()
  await cache.use({ key: 'a', ids: [1] }, NOW, true, async (state) => {
    const tables = new Map([['d1', createCountTable()]])
    const rows = Array.from({ length: MAX_VALUES_OF_SET + 1 }, (_, at): PeriodRow => [
      1,
      6,
      100 + at,
      at === 7 ? 50 : 1,
      1,
      0,
      0,
    ])
    addPeriods(state, tables, false, rows)
    let [scans, others, frequent] = [0, 0, 0]
    tables.get('d1')?.forEach((key, humans) => {
      scans += humans
      if (key === packKey(6, OTHER)) others = humans
      if (key === packKey(6, 107)) frequent = humans
    })
    assert.deepEqual([scans, others, frequent], [MAX_VALUES_OF_SET + 50, MAX_VALUES_OF_SET, 50])
    assert.ok((tables.get('d1')?.size() ?? 0) < MAX_VALUES_OF_SET)
  })
  assert.equal(await isKept(cache, 'a'), false)
})
