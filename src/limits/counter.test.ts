import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryCounter } from './memory-counter.ts'

const WINDOW = 3_600_000

/** A counter with a clock of the test's own, which begins at 1000. */
function createCounter() {
  const clock = { now: 1000 }
  const counter = createMemoryCounter({ windowMs: WINDOW, maxKeys: 10, monotonic: () => clock.now })
  const charge = async (key: number, quota = 10) => {
    const { used, until, isRefused } = await counter.charge(key, quota)
    return { used, until, isRefused }
  }
  return { clock, counter, charge }
}

test('a window begins with the first charge and ends an hour later, to the millisecond', async () => {
  const { clock, counter, charge } = createCounter()
  assert.deepEqual(await charge(1), { used: 1, until: 1000 + WINDOW, isRefused: false })
  clock.now += WINDOW - 1
  assert.deepEqual(await charge(1), { used: 2, until: 1000 + WINDOW, isRefused: false })
  clock.now += 1
  assert.deepEqual(await counter.read(1), { used: 0, until: clock.now + WINDOW })
  assert.deepEqual(await charge(1), { used: 1, until: clock.now + WINDOW, isRefused: false })
})

test('a charge past the quota is refused, and counts nothing', async () => {
  const { charge } = createCounter()
  await charge(1, 1)
  for (let again = 0; again < 3; again++) assert.equal((await charge(1, 1)).isRefused, true)
  assert.deepEqual(await charge(1, 2), { used: 2, until: 1000 + WINDOW, isRefused: false })
})

test('a refund undoes one charge, of a refused one nothing, and never more than was charged', async () => {
  const { counter } = createCounter()
  const charges = [await counter.charge(1, 2), await counter.charge(1, 2), await counter.charge(1, 2)]
  const used = []
  for (const { refund } of charges.toReversed()) used.push((await refund()).used)
  assert.deepEqual(used, [2, 1, 0])
  assert.equal((await charges[0]?.refund())?.used, 0)
})

test('a refund after the window has ended changes nothing of the next one', async () => {
  const { clock, counter } = createCounter()
  const { refund } = await counter.charge(1, 10)
  clock.now += WINDOW
  await counter.charge(1, 10)
  assert.equal((await refund()).used, 1)
})
