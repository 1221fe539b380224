import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { StoreUnavailable } from '../db/unavailable.ts'
import { link, revisionOf } from '../../test/support/visited.ts'
import type { Found } from '../links/visited.ts'
import { createResolver } from './resolve.ts'

const LIFE_MS = 30_000
const MAX_AGE_MS = 300_000

/** A resolver of a store that others change, with a clock that the test sets. */
function openShared() {
  const state = { now: 0, reads: 0, answer: async (): Promise<Found> => link(1) }
  const { resolve, invalidateAll, expireAll } = createResolver(
    () => {
      state.reads++
      return state.answer()
    },
    () => state.now,
    LIFE_MS,
  )
  return Object.assign(state, { visit: async () => revisionOf(await resolve('code')), invalidateAll, expireAll })
}

const away = async (): Promise<never> => {
  throw new StoreUnavailable('away')
}

test('a link is read again when its life is over, and not before', async () => {
  const store = openShared()
  assert.equal(await store.visit(), 1)
  store.answer = async () => link(2)
  store.now = LIFE_MS - 1
  assert.equal(await store.visit(), 1)
  store.now = LIFE_MS
  assert.equal(await store.visit(), 2)
  assert.equal(store.reads, 2)
})

test('a link that is visited towards the end of its life is read in advance, once, and no visit waits for it', async () => {
  let now = 0
  const reads: ((found: Found) => void)[] = []
  const { resolve } = createResolver(
    () => new Promise<Found>((answer) => reads.push(answer)),
    () => now,
    LIFE_MS,
  )
  const first = resolve('code')
  reads[0]?.(link(1))
  await first
  now = (LIFE_MS * 2) / 3 - 1
  resolve('code')
  assert.equal(reads.length, 1)
  now++
  for (let again = 0; again < 3; again++) {
    const found = resolve('code')
    assert.ok(!(found instanceof Promise))
    assert.equal(revisionOf(found), 1)
  }
  assert.equal(reads.length, 2)
  reads[1]?.(link(2))
  await setImmediate()
  now = LIFE_MS
  const found = resolve('code')
  assert.ok(!(found instanceof Promise))
  assert.equal(revisionOf(found), 2)
  assert.equal(reads.length, 2)
})

test('what was read in advance does not replace a change that was answered meanwhile', async () => {
  let now = 0
  const reads: ((found: Found) => void)[] = []
  const { resolve, invalidate } = createResolver(
    () => new Promise<Found>((answer) => reads.push(answer)),
    () => now,
    LIFE_MS,
  )
  const first = resolve('code')
  reads[0]?.(link(1))
  await first
  now = LIFE_MS - 1
  resolve('code')
  invalidate('code')
  reads[1]?.(link(1))
  await setImmediate()
  const next = resolve('code')
  reads[2]?.(link(2))
  assert.equal(revisionOf(await next), 2)
  assert.equal(revisionOf(await resolve('code')), 2)
})

test('reads in advance are four at most, one a second for a link whose read fails, and none for an unknown code', async () => {
  let now = 0
  let reads: string[] = []
  let find = async (key: string): Promise<Found> => (key === 'nothing' ? undefined : link(1))
  const { resolve } = createResolver(
    (key) => {
      reads.push(key)
      return find(key)
    },
    () => now,
    LIFE_MS,
  )
  const codes = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']
  for (const code of [...codes, 'nothing']) await resolve(code)
  now = LIFE_MS - 5000
  await resolve('nothing')
  reads = []
  find = async () => {
    throw new Error('not now')
  }
  now++
  await resolve('nothing')
  for (const code of codes) resolve(code)
  assert.deepEqual(reads, codes.slice(0, 4))
  await setImmediate()
  for (const code of codes) resolve(code)
  assert.deepEqual(reads, codes)
  await setImmediate()
  now += 999
  for (const code of codes) resolve(code)
  assert.equal(reads.length, 6)
  now++
  for (const code of codes) resolve(code)
  assert.equal(reads.length, 10)
})

test('a link that is deleted, and a deleted one, replace each other when the life of the former is over', async () => {
  const store = openShared()
  for (const [at, found, expected] of [
    [0, link(1), 1],
    [1, 'gone', 'gone'],
    [2, undefined, 'unknown'],
    [3, link(3), 3],
  ] as const) {
    store.now = at * LIFE_MS
    store.answer = async () => found
    assert.equal(await store.visit(), expected)
    assert.equal(await store.visit(), expected)
  }
})

test('after a gap of the bus a link is read again, and used as it was while the store does not answer', async () => {
  const store = openShared()
  await store.visit()
  store.expireAll()
  store.answer = away
  for (let again = 0; again < 3; again++) assert.equal(await store.visit(), 1)
  store.answer = async () => link(2)
  store.now = 1000
  assert.equal(await store.visit(), 2)
  assert.equal(await store.visit(), 2)
  assert.equal(store.reads, 3)
})

test('while the store is away, a cached link is used for five minutes, and the store asked once a second', async () => {
  const store = openShared()
  await store.visit()
  store.answer = away
  store.now = LIFE_MS
  for (let again = 0; again < 5; again++) assert.equal(await store.visit(), 1)
  assert.equal(store.reads, 2)
  store.now += 1000
  for (let again = 0; again < 5; again++) assert.equal(await store.visit(), 1)
  assert.equal(store.reads, 3)
  store.now = MAX_AGE_MS - 1
  assert.equal(await store.visit(), 1)
  store.now = MAX_AGE_MS
  await assert.rejects(store.visit(), StoreUnavailable)
})

test('what was changed while the store was away is seen as soon as it answers', async () => {
  const store = openShared()
  await store.visit()
  store.answer = away
  store.now = LIFE_MS
  assert.equal(await store.visit(), 1)
  store.answer = async () => link(2)
  store.now += 1000
  assert.equal(await store.visit(), 2)
  store.now += LIFE_MS
  store.answer = async () => link(3)
  assert.equal(await store.visit(), 3)
})

test('a store that does not answer at all is waited for by one visit in a second, and not for long', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const store = openShared()
  await store.visit()
  store.answer = () => new Promise(() => {})
  store.now = LIFE_MS
  const first = store.visit()
  await Promise.resolve()
  t.mock.timers.tick(1000)
  assert.equal(await first, 1)
  assert.equal(await store.visit(), 1)
  assert.equal(store.reads, 2)
})

test('an unknown code is no longer cached than for a moment, and an error of another kind is thrown', async () => {
  const store = openShared()
  store.answer = async () => undefined
  assert.equal(await store.visit(), 'unknown')
  store.answer = away
  store.now = 2000
  await assert.rejects(store.visit(), StoreUnavailable)
  store.answer = async () => link(1)
  await store.visit()
  store.answer = async () => {
    throw new TypeError('a bug')
  }
  store.now += LIFE_MS
  await assert.rejects(store.visit(), TypeError)
})

test('after a gap everything is read again', async () => {
  const store = openShared()
  await store.visit()
  store.answer = async () => link(2)
  store.invalidateAll()
  assert.equal(await store.visit(), 2)
})
