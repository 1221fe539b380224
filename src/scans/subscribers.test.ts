import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Totals } from '../links/link.ts'
import { createSubscribers } from './subscribers.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Subscribers of totals that grow with each read, and the links whose totals were read. */
function start() {
  const reads: number[] = []
  const totals = async (linkId: number) => ({ scans: reads.push(linkId) }) as Totals
  const subscribers = createSubscribers(totals, 1000)
  const subscribe = (linkId: number) => {
    const sent: string[] = []
    let failed = 0
    const end = subscribers.subscribe(linkId, { send: (text) => sent.push(text), fail: () => failed++ })
    return { sent, end, failed: () => failed }
  }
  return { reads, subscribers, subscribe }
}

test('a fold of one link reads its totals once for all its subscribers, and nothing for those of another', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { reads, subscribers, subscribe } = start()
  const [a1, a2, b] = [subscribe(1), subscribe(1), subscribe(2)]
  await turn()
  assert.deepEqual([a1.sent.length, a2.sent.length, b.sent.length], [1, 1, 1])
  reads.length = 0
  subscribers.publish([1, 3, 4])
  await turn()
  assert.deepEqual(reads, [1])
  assert.deepEqual(
    [a1.sent, a2.sent, b.sent].map((sent) => sent.length),
    [2, 2, 1],
  )
  assert.equal(a1.sent[1], a2.sent[1])
})

test('folds in quick succession are published as one, and a fold of too many links to list to everyone', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { reads, subscribers, subscribe } = start()
  const all = [subscribe(1), subscribe(2)]
  await turn()
  reads.length = 0
  subscribers.publish([1])
  for (let at = 0; at < 100; at++) subscribers.publish([1])
  await turn()
  assert.deepEqual(reads, [1])
  t.mock.timers.tick(999)
  assert.deepEqual(reads, [1])
  t.mock.timers.tick(1)
  await turn()
  assert.deepEqual(reads, [1, 1])
  subscribers.publish(undefined)
  t.mock.timers.tick(1000)
  await turn()
  assert.deepEqual(reads, [1, 1, 1, 2])
  // After an interval without changes, the next fold is published at once.
  t.mock.timers.tick(1000)
  subscribers.publish([2])
  await turn()
  assert.deepEqual(reads, [1, 1, 1, 2, 2])
  assert.equal(all[1]?.sent.length, 3)
})

test('a fold of another node sends the totals of its links, but is none of this process', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { reads, subscribers, subscribe } = start()
  const folded: unknown[] = []
  subscribers.onFold((changed) => folded.push(changed))
  const [one] = [subscribe(1), subscribe(2)]
  await turn()
  reads.length = 0
  subscribers.refresh([1, 3])
  await turn()
  assert.deepEqual([reads, one.sent.length, folded], [[1], 2, []])
  t.mock.timers.tick(1000)
  // After messages that may have been lost.
  subscribers.refresh(undefined)
  await turn()
  assert.deepEqual([reads, folded], [[1, 1, 2], []])
})

test('a subscription that has ended gets no more totals, and is no longer counted', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { reads, subscribers, subscribe } = start()
  const [one, two] = [subscribe(1), subscribe(1)]
  await turn()
  assert.equal(subscribers.count(), 2)
  one.end()
  one.end()
  assert.equal(subscribers.count(), 1)
  reads.length = 0
  subscribers.publish([1])
  await turn()
  assert.deepEqual([reads, one.sent.length, two.sent.length], [[1], 1, 2])
  two.end()
  t.mock.timers.tick(1000)
  subscribers.publish([1])
  await turn()
  assert.deepEqual([reads, subscribers.count()], [[1], 0])
})

test('a failed read fails the subscribers of that link only', async () => {
  const subscribers = createSubscribers(async (linkId) => {
    if (linkId === 1) throw new Error('no')
    return { scans: 0 } as Totals
  })
  const failed: number[] = []
  for (const linkId of [1, 2, 1]) subscribers.subscribe(linkId, { send: () => {}, fail: () => failed.push(linkId) })
  await turn()
  assert.deepEqual(failed, [1, 1])
})
