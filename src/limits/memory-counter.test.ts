import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createMemoryCounter } from './memory-counter.ts'

const WINDOW = 3_600_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Heap bytes in use after a garbage collection. */
function heapBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

test('memory is bounded: the latest windows remain, the earliest are dropped', async () => {
  let now = 0
  const counter = createMemoryCounter({ windowMs: WINDOW, maxKeys: 100, monotonic: () => now })
  const kept: number[] = []
  for (let key = 0; key < 1000; key++) {
    now++
    await counter.charge(key, 10)
  }
  for (let key = 0; key < 1000; key++) if ((await counter.read(key)).used === 1) kept.push(key)
  assert.ok(kept.length >= 50 && kept.length <= 100, `${kept.length} are kept`)
  assert.deepEqual(
    kept,
    kept.map((_, at) => 1000 - kept.length + at),
  )
})

test('a key with a new window counts among the latest', async () => {
  let now = 0
  const counter = createMemoryCounter({ windowMs: WINDOW, maxKeys: 4, monotonic: () => now })
  await counter.charge(1, 10)
  now = WINDOW
  for (const key of [2, 1, 3, 4]) await counter.charge(key, 10)
  const windows = await Promise.all([1, 3, 4].map(counter.read))
  assert.deepEqual(
    windows.map(({ used }) => used),
    [1, 1, 1],
  )
})

test('a million clients take bounded memory, and the latest are still limited', async () => {
  const counter = createMemoryCounter({ windowMs: WINDOW, maxKeys: 100_000, monotonic: () => 0 })
  const charge = async (from: number, to: number) => {
    for (let key = from; key < to; key++) await counter.charge(key * 65_537, 10)
  }
  await charge(0, 200_000)
  const before = heapBytes()
  await charge(200_000, 1_000_000)
  assert.ok(heapBytes() - before < 8 * 2 ** 20)
  assert.equal((await counter.read(999_999 * 65_537)).used, 1)
})
