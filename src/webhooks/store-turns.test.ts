import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import type { Lease } from '../db/lease.ts'
import { commitsInTurn, createStoreTurns, IN_STORE_AT_ONCE } from './store-turns.ts'

test('however many requests end at once, few are recorded at the same time, and each is, also after one that failed', async () => {
  let running = 0
  let most = 0
  let done = 0
  const work = async (at: number): Promise<void> => {
    most = Math.max(most, ++running)
    await nextTurn()
    running--
    if (at % 7 === 0) throw new Error('busy')
    done++
  }
  const lease: Lease = {
    lost: new AbortController().signal,
    commit: (commit) => commit(undefined as never),
    release: async () => {},
  }
  const inStoreTurn = createStoreTurns()
  const inTurn = commitsInTurn(lease, inStoreTurn, 'a')
  const all = Array.from({ length: 70 }, (_, at) =>
    at % 2 === 0 ? inTurn.commit(() => work(at)) : inStoreTurn('a', () => work(at)),
  )
  const results = await Promise.allSettled(all)
  assert.equal(most, IN_STORE_AT_ONCE)
  assert.deepEqual([done, results.filter(({ status }) => status === 'rejected').length], [60, 10])
})

test('what hundreds of requests of one network record does not stand before what one of another records', async () => {
  const inStoreTurn = createStoreTurns()
  const order: string[] = []
  const work = async (name: string) => {
    await nextTurn()
    order.push(name)
  }
  const many = Array.from({ length: 200 }, () => inStoreTurn('many', () => work('many')))
  await Promise.all([inStoreTurn('one', () => work('one')), ...many])
  assert.ok(order.indexOf('one') <= IN_STORE_AT_ONCE, `${order.indexOf('one')} came first`)
})

test('what a network records is recorded also while all that another one records waits for a lock', async () => {
  const inStoreTurn = createStoreTurns()
  const { promise: unlocked, resolve: unlock } = Promise.withResolvers<void>()
  const locked = Array.from({ length: 50 }, () => inStoreTurn('locked', () => unlocked))
  await inStoreTurn('free', async () => {})
  unlock()
  await Promise.all(locked)
})
