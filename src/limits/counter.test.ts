import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createCounter } from './counter.ts'

const WINDOW = 3_600_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Heap bytes in use after a garbage collection. */
function heapBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

test('a window begins with the first charge and ends an hour later, to the millisecond', () => {
  let now = 1000
  const counter = createCounter({ windowMs: WINDOW, maxKeys: 10, monotonic: () => now })
  assert.deepEqual(counter.charge(1), { used: 1, until: 1000 + WINDOW })
  now += WINDOW - 1
  assert.deepEqual(counter.charge(1), { used: 2, until: 1000 + WINDOW })
  now += 1
  assert.deepEqual(counter.read(1), { used: 0, until: now + WINDOW })
  assert.deepEqual(counter.charge(1), { used: 1, until: now + WINDOW })
})

test('a refund undoes one charge, and never more than was charged', () => {
  const counter = createCounter({ windowMs: WINDOW, maxKeys: 10, monotonic: () => 0 })
  counter.charge(1)
  counter.refund(1)
  counter.refund(1)
  counter.refund(2)
  assert.equal(counter.charge(1).used, 1)
})

test('memory is bounded: the latest windows remain, the earliest are dropped', () => {
  let now = 0
  const counter = createCounter({ windowMs: WINDOW, maxKeys: 100, monotonic: () => now })
  for (let key = 0; key < 1000; key++) {
    now++
    counter.charge(key)
  }
  const kept = Array.from({ length: 1000 }, (_, key) => key).filter((key) => counter.read(key).used === 1)
  assert.ok(kept.length >= 50 && kept.length <= 100, `${kept.length} are kept`)
  assert.deepEqual(
    kept,
    kept.map((_, at) => 1000 - kept.length + at),
  )
})

test('a key with a new window counts among the latest', () => {
  let now = 0
  const counter = createCounter({ windowMs: WINDOW, maxKeys: 4, monotonic: () => now })
  counter.charge(1)
  now = WINDOW
  counter.charge(2)
  counter.charge(1)
  counter.charge(3)
  counter.charge(4)
  assert.deepEqual(
    [1, 3, 4].map((key) => counter.read(key).used),
    [1, 1, 1],
  )
})

test('a million clients take bounded memory, and the latest are still limited', () => {
  const counter = createCounter({ windowMs: WINDOW, maxKeys: 100_000, monotonic: () => 0 })
  const charge = (from: number, to: number) => {
    for (let key = from; key < to; key++) counter.charge(key * 65_537)
  }
  charge(0, 200_000)
  const before = heapBytes()
  charge(200_000, 1_000_000)
  assert.ok(heapBytes() - before < 8 * 2 ** 20)
  assert.equal(counter.read(999_999 * 65_537).used, 1)
})
