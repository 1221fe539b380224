import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatcher } from './scan-reader.ts'

test('calls during a load share the next one, with each link once, and never the running one', async () => {
  const loaded: number[][] = []
  const finish: (() => void)[] = []
  const load = createBatcher((ids) => {
    loaded.push(ids)
    return new Promise<string[]>((resolve) => finish.push(() => resolve(ids.map((id) => `${id} in ${loaded.length}`))))
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const first = load(7)
  await turn()
  const others = [load(7), load(8), load(7), load(9), load(8)]
  await turn()
  assert.deepEqual(loaded, [[7]])
  finish.shift()?.()
  await turn()
  assert.deepEqual(loaded, [[7], [7, 8, 9]])
  finish.shift()?.()
  assert.equal(await first, '7 in 1')
  assert.deepEqual(await Promise.all(others), ['7 in 2', '8 in 2', '7 in 2', '9 in 2', '8 in 2'])
})

test('a load that fails rejects its own callers only, and the next one runs', async () => {
  let works = false
  const load = createBatcher(async (ids) => {
    if (!works) throw new Error('no')
    return ids
  })
  const failed = await Promise.allSettled([load(1), load(2)])
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  works = true
  assert.equal(await load(3), 3)
})
