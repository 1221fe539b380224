import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises'
import type { Problem } from '../http/problem.ts'
import { createAdmission, type AdmissionOptions } from './admission.ts'
import type { Work } from './work.ts'
import { valueOf } from '../../test/support/metrics.ts'
import { asHolder } from '../lib/holder.ts'

const none = { waiting: 10, concurrent: 0 }

/** An admission whose work ends when the test ends it; `started` lists the work in the order of its start. */
function open(bounds: AdmissionOptions['bounds'], clock = { now: 0 }) {
  const started: string[] = []
  const refused: Problem[] = []
  let slices = 0
  const admission = createAdmission({ monotonic: () => clock.now, beforeSlice: () => slices++, bounds })
  const enter = (work: Work, client: string, name = client, onStart = () => {}) =>
    admission.enter(work, {
      holder: asHolder(client),
      start() {
        started.push(name)
        onStart()
      },
      refuse: (problem) => refused.push(problem),
    })
  const refusedBy = (work: Work) => valueOf(admission.metrics, 'quirl_requests_refused_total', work)
  return { admission, enter, started, refused, refusedBy, clock, slices: () => slices }
}

const iterations = async (count = 20) => {
  for (let at = 0; at < count; at++) await nextIteration()
}

test('a request past the bounds is refused at once with Retry-After, or takes the place of the latest of a larger holder', () => {
  const { enter, admission, refused, refusedBy } = open({ images: { waiting: 4, concurrent: 0 } })
  const refusal = (client: string) => {
    try {
      enter('images', client)
    } catch (error) {
      const { status, headers } = error as Problem
      return [status, Number(headers['retry-after']) > 0]
    }
    return 'queued'
  }
  // Addresses of one network.
  const attacker = ['a.1', 'a.2', 'a.3', 'a.4', 'a.5'].map(refusal)
  assert.deepEqual(attacker, ['queued', 'queued', 'queued', 'queued', [503, true]])
  assert.deepEqual([refusal('b.1'), refusal('b.2'), refusal('b.3')], ['queued', 'queued', [503, true]])
  assert.equal(refused.length, 2)
  assert.deepEqual([refused[0]?.status, Number(refused[0]?.headers['retry-after']) > 0], [503, true])
  assert.equal(admission.waiting('images'), 4)
  assert.equal(refusedBy('images'), 4)
  assert.equal(admission.refusal('pages', asHolder('a.1')), undefined, 'kinds have separate bounds')
})

const refusalOf = (enter: () => unknown): Problem | undefined => {
  try {
    enter()
  } catch (error) {
    return error as Problem
  }
  return undefined
}

test('a burst is accepted by its time: hundreds of quick requests, and of slow ones what starts in two seconds', async () => {
  const clock = { now: 0 }
  const { enter, started, refusedBy } = open({ images: { waiting: 2048, concurrent: 64 } }, clock)
  const leaving: (() => void)[] = []
  const burst = (client: string, count: number, ms: number) =>
    Array.from({ length: count }, () =>
      refusalOf(() => {
        const leave = enter('images', client, client, () => {
          clock.now += ms
          leaving.push(leave)
        })
      }),
    ).filter((problem) => problem !== undefined)
  const serveAll = async (count: number) => {
    while (started.length < count) {
      await nextIteration()
      for (const leave of leaving.splice(0)) leave()
    }
  }

  assert.equal(burst('a', 600, 0.5).length, 0)
  await serveAll(600)
  // From here on each takes 100 ms.
  for (let served = 610; served <= 680; served += 10) {
    assert.equal(burst('a', 10, 100).length, 0)
    await serveAll(served)
  }
  const refused = burst('a', 600, 100)
  const accepted = 600 - refused.length
  assert.ok(accepted > 10 && accepted < 40, `${accepted} of 100 ms each`)
  assert.equal(refusedBy('images'), refused.length)
  for (const { status, headers } of refused) {
    assert.equal(status, 503)
    const seconds = Number(headers['retry-after'])
    assert.ok(seconds >= 2 && seconds <= 5, `Retry-After: ${seconds}, when all are served`)
  }
  assert.equal(burst('b', 3, 100).length, 0, 'others take turns with it, so that they do not wait for its burst')
  await serveAll(680 + 8)
  assert.equal(started.filter((client) => client === 'b').length, 3)
})

test('however many clients wait, a further one is refused when it would not start in two seconds', () => {
  const { enter } = open({ pages: { waiting: 2048, concurrent: 0 } })
  // As long as nothing is measured, four milliseconds are expected.
  for (let at = 0; at <= 500; at++) enter('pages', `client ${at}`)
  const refused = refusalOf(() => enter('pages', 'another'))
  assert.deepEqual([refused?.status, Number(refused?.headers['retry-after']) >= 3], [503, true])
})

test('concurrency of a network is bounded, its clients are served round-robin, and each that leaves frees one slot', async () => {
  const { enter, started, admission } = open({ pages: { waiting: 20, concurrent: 2 } })
  const leave = ['a', 'a', 'a', 'b', 'c'].map((client, at) => enter('pages', `one.${client}`, `${client}${at}`))
  assert.deepEqual(started, [], 'nothing starts before the call has returned')
  await iterations()
  assert.deepEqual(started, ['a0', 'b3'])
  leave[0]?.()
  leave[0]?.()
  await iterations()
  assert.deepEqual(started, ['a0', 'b3', 'c4'])
  leave[1]?.()
  assert.equal(admission.waiting('pages'), 1, 'a request that leaves is removed from the queue')
  leave[3]?.()
  leave[4]?.()
  await iterations()
  assert.deepEqual(started, ['a0', 'b3', 'c4', 'a2'])
  leave[2]?.()
  assert.equal(admission.waiting('pages'), 0)
})

test('while one network has all places, each other one has a place at once, and as many again are taken at most', async () => {
  const { enter, started, admission } = open({ batches: { waiting: 20, concurrent: 2 } })
  const leaving = ['a.1', 'a.2', 'a.3', 'b.1', 'b.2', 'c.1', 'd.1'].map((client) => enter('batches', client))
  await iterations()
  assert.deepEqual(started, ['a.1', 'b.1', 'c.1', 'd.1'])
  leaving[3]?.()
  await iterations()
  assert.deepEqual(started.slice(4), ['b.2'], 'the place is for a network without one')
  leaving[5]?.()
  await iterations()
  assert.equal(started.length, 5, 'who has a place waits as long as others have more than one network may have')
  leaving[6]?.()
  leaving[0]?.()
  await iterations()
  assert.deepEqual(started.slice(5), ['a.2'])
  assert.equal(admission.waiting('batches'), 1)
})

test('however long the work of one network takes, one request of another is not refused for it', async () => {
  const { enter, admission, clock } = open({ batches: { waiting: 20, concurrent: 2 } })
  const leaving = ['a.1', 'a.2', 'a.3', 'a.4'].map((client) => enter('batches', client))
  await iterations()
  clock.now += 60_000
  leaving[0]?.()
  await iterations()
  assert.equal(admission.refusal('batches', asHolder('a.5'))?.status, 503)
  assert.equal(admission.refusal('batches', asHolder('b.1')), undefined)
})

test('a request that has waited for two seconds is refused, and a later one is not', async () => {
  const { enter, refused, clock, admission, refusedBy } = open({ statistics: none })
  const leave = enter('statistics', 'a')
  enter('statistics', 'b')
  clock.now = 1999
  enter('statistics', 'a')
  clock.now = 2000
  while (refused.length < 2) await sleep(10)
  assert.equal(refused.length, 2)
  assert.deepEqual([refused[0]?.status, admission.waiting('statistics'), refusedBy('statistics')], [503, 1, 2])
  leave()
  assert.equal(admission.waiting('statistics'), 1)
})

test('changes of many links wait for up to ten seconds', async () => {
  const { enter, refused, clock, admission } = open({ batches: none })
  enter('batches', 'a')
  clock.now = 8000
  enter('batches', 'b')
  clock.now = 9999
  await sleep(250)
  assert.equal(refused.length, 0)
  clock.now = 10_000
  while (refused.length < 1) await sleep(10)
  assert.equal(admission.waiting('batches'), 1)
})

test('waiting kinds get equal shares of time, and `beforeSlice` runs before each slice', async () => {
  const clock = { now: 0 }
  const { enter, started, slices } = open(
    { creations: { waiting: 200, concurrent: 200 }, images: { waiting: 200, concurrent: 200 } },
    clock,
  )
  // One takes longer than a slice, while several of the other fit into one.
  for (let at = 0; at < 40; at++) enter('creations', String(at), 'long', () => (clock.now += 4))
  for (let at = 0; at < 90; at++) enter('images', String(at), 'short', () => (clock.now += 1))
  while (started.filter((name) => name === 'short').length < 80) await nextIteration()
  const long = started.filter((name) => name === 'long').length
  assert.ok(long >= 17 && long <= 23, `${long} long ones beside 80 short ones`)
  assert.ok(slices() > 20, `${slices()} slices`)
})

test('new connections postpone work for 3 ms, and no longer', async () => {
  const { enter, started, admission, clock } = open({ pages: { waiting: 20, concurrent: 20 } })
  clock.now = 100
  enter('pages', 'a')
  await iterations(2)
  enter('pages', 'a')
  let waited = 0
  for (; started.length === 1; waited++) {
    admission.onConnection()
    clock.now++
    await nextIteration()
  }
  assert.ok(waited >= 2 && waited <= 5, `${waited} iterations`)
})

test('work that arrives alone starts in the same iteration, after the call has returned', async () => {
  const { enter, started, slices } = open({ pages: { waiting: 20, concurrent: 20 } })
  await nextIteration()
  const leave = enter('pages', 'a')
  assert.deepEqual(started, [])
  await Promise.resolve()
  assert.deepEqual([started, slices()], [['a'], 1])
  enter('pages', 'b')
  await Promise.resolve()
  assert.deepEqual(started, ['a'], 'beside other work, it waits for a slice')
  await iterations(2)
  assert.deepEqual(started, ['a', 'b'])
  leave()
})

test('whoever leaves while he waits does not make the work look slow for those who come later', async () => {
  const clock = { now: 0 }
  const { enter } = open({ creations: { waiting: 2048, concurrent: 1 } }, clock)
  const leave = enter('creations', 'stranger', 'first')
  const leaveQueue = enter('creations', 'stranger', 'second')
  await iterations()
  leaveQueue()
  leave()
  clock.now += 20_000
  const leaveSoon = enter('creations', 'owner', 'alone')
  await iterations()
  leaveSoon()
  const refused = Array.from({ length: 16 }, () => refusalOf(() => enter('creations', 'owner')))
  assert.deepEqual(
    refused.filter((problem) => problem !== undefined),
    [],
  )
})
