import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { asHolder } from './holder.ts'
import { createSlices } from './in-slices.ts'

/** Slices by a clock that each work moves by so many milliseconds. */
function slicesOf(ms: number) {
  let now = 0
  const start = createSlices(() => now)
  const done: string[] = []
  return {
    done,
    add: (client: string) =>
      start(asHolder(client), () => {
        now += ms
        done.push(client)
      }),
  }
}

test('work starts at once while a slice has time, and the rest in later iterations, of which each has a slice of its own', async () => {
  const { done, add } = slicesOf(2)
  for (let at = 0; at < 5; at++) add('192.0.2.1')
  assert.equal(done.length, 2)
  const lengths: number[] = []
  while (done.length < 5) {
    await setImmediate()
    lengths.push(done.length)
  }
  assert.ok(lengths.includes(4), lengths.join())
})

test('work that takes longer than a slice starts one by one, and that of another network after at most one more', async () => {
  const { done, add } = slicesOf(9)
  for (let at = 0; at < 50; at++) add(`192.0.2.${at}`)
  add('198.51.100.1')
  while (!done.includes('198.51.100.1')) await setImmediate()
  assert.ok(done.length <= 3, `${done.length} were before`)
  while (done.length < 51) await setImmediate()
})
