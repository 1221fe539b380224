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
  const inTurn = commitsInTurn(lease, inStoreTurn)
  const all = Array.from({ length: 70 }, (_, at) =>
    at % 2 === 0 ? inTurn.commit(() => work(at)) : inStoreTurn(() => work(at)),
  )
  const results = await Promise.allSettled(all)
  assert.equal(most, IN_STORE_AT_ONCE)
  assert.deepEqual([done, results.filter(({ status }) => status === 'rejected').length], [60, 10])
})
