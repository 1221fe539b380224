import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { Problem } from '../http/problem.ts'
import { createAdmission, type AdmissionOptions, type Work } from './admission.ts'

const none = { waiting: 10, atOnce: 0 }

/** An admission whose work is done when the test says so; `begun` tells what was begun, in that order. */
function open(bounds: AdmissionOptions['bounds'], clock = { now: 0 }) {
  const begun: string[] = []
  const refused: Problem[] = []
  let flushed = 0
  const admission = createAdmission({ monotonic: () => clock.now, first: () => flushed++, bounds })
  const enter = (work: Work, client: string, name = client, onBegin = () => {}) =>
    admission.enter(work, {
      client,
      begin() {
        begun.push(name)
        onBegin()
      },
      refuse: (problem) => refused.push(problem),
    })
  const refusedBy = (work: Work) => admission.metrics[1]?.read()[work]
  return { admission, enter, begun, refused, refusedBy, clock, flushed: () => flushed }
}

const turns = async (count = 20) => {
  for (let at = 0; at < count; at++) await turn()
}

test('the request past a bound is refused at once, with a time to come back; of one client half may wait', () => {
  const { enter, admission, refusedBy } = open({ images: { waiting: 4, atOnce: 0 } })
  const refusal = (client: string) => {
    try {
      enter('images', client)
    } catch (error) {
      const { status, headers } = error as Problem
      return [status, Number(headers['retry-after']) > 0]
    }
    return 'let in'
  }
  assert.deepEqual([refusal('a'), refusal('a'), refusal('a')], ['let in', 'let in', [503, true]])
  assert.deepEqual([refusal('b'), refusal('b'), refusal('c')], ['let in', 'let in', [503, true]])
  assert.equal(admission.waiting('images'), 4)
  assert.equal(refusedBy('images'), 2)
  assert.equal(admission.refusal('pages', 'a'), undefined, 'kinds are bounded apart')
})

test('so many are worked on at once, clients take turns, and whoever leaves makes room once', async () => {
  const { enter, begun, admission } = open({ pages: { waiting: 20, atOnce: 2 } })
  const leave = ['a', 'a', 'a', 'b', 'c'].map((client, at) => enter('pages', client, `${client}${at}`))
  assert.deepEqual(begun, [], 'nothing begins before the call has returned')
  await turns()
  assert.deepEqual(begun, ['a0', 'b3'])
  leave[0]?.()
  leave[0]?.()
  await turns()
  assert.deepEqual(begun, ['a0', 'b3', 'c4'])
  leave[1]?.()
  assert.equal(admission.waiting('pages'), 1, 'who leaves while waiting is forgotten')
  leave[3]?.()
  leave[4]?.()
  await turns()
  assert.deepEqual(begun, ['a0', 'b3', 'c4', 'a2'])
  leave[2]?.()
  assert.equal(admission.waiting('pages'), 0)
})

test('who has waited for a second is refused, and who came later is not', async () => {
  const { enter, refused, clock, admission, refusedBy } = open({ statistics: none })
  const leave = enter('statistics', 'a')
  enter('statistics', 'b')
  clock.now = 999
  enter('statistics', 'a')
  clock.now = 1000
  while (refused.length < 2) await sleep(10)
  assert.equal(refused.length, 2)
  assert.deepEqual([refused[0]?.status, admission.waiting('statistics'), refusedBy('statistics')], [503, 1, 2])
  leave()
  assert.equal(admission.waiting('statistics'), 1)
})

test('kinds that wait get equal shares of the time, and what must not wait comes before each slice', async () => {
  const clock = { now: 0 }
  const { enter, begun, flushed } = open(
    { creations: { waiting: 200, atOnce: 200 }, images: { waiting: 200, atOnce: 200 } },
    clock,
  )
  // One takes longer than a slice, of the other several fit into one.
  for (let at = 0; at < 40; at++) enter('creations', String(at), 'long', () => (clock.now += 4))
  for (let at = 0; at < 90; at++) enter('images', String(at), 'short', () => (clock.now += 1))
  while (begun.filter((name) => name === 'short').length < 80) await turn()
  const long = begun.filter((name) => name === 'long').length
  assert.ok(long >= 17 && long <= 23, `${long} long ones beside 80 short ones`)
  assert.ok(flushed() > 20, `${flushed()} slices`)
})

test('new connections come before work for 3 ms, and do not keep it from being done', async () => {
  const { enter, begun, admission, clock } = open({ pages: { waiting: 20, atOnce: 20 } })
  clock.now = 100
  enter('pages', 'a')
  await turns(2)
  enter('pages', 'a')
  let waited = 0
  for (; begun.length === 1; waited++) {
    admission.arrived()
    clock.now++
    await turn()
  }
  assert.ok(waited >= 2 && waited <= 5, `${waited} turns`)
})

test('work that comes alone is begun in the same turn of the event loop, once the call has returned', async () => {
  const { enter, begun, flushed } = open({ pages: { waiting: 20, atOnce: 20 } })
  await turn()
  const leave = enter('pages', 'a')
  assert.deepEqual(begun, [])
  await Promise.resolve()
  assert.deepEqual([begun, flushed()], [['a'], 1])
  enter('pages', 'b')
  await Promise.resolve()
  assert.deepEqual(begun, ['a'], 'beside other work, a slice is waited for')
  await turns(2)
  assert.deepEqual(begun, ['a', 'b'])
  leave()
})
