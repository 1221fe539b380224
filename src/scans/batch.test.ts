import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatch } from './batch.ts'

test('what is asked while a question is under way is asked as one, equal ones once, and never by the one before', async () => {
  const asked: number[][] = []
  const answers: (() => void)[] = []
  const ask = createBatch((ids) => {
    asked.push(ids)
    return new Promise<string[]>((resolve) => answers.push(() => resolve(ids.map((id) => `${id} in ${asked.length}`))))
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const first = ask(7)
  await turn()
  const others = [ask(7), ask(8), ask(7), ask(9), ask(8)]
  await turn()
  assert.deepEqual(asked, [[7]])
  answers.shift()?.()
  await turn()
  assert.deepEqual(asked, [[7], [7, 8, 9]])
  answers.shift()?.()
  assert.equal(await first, '7 in 1')
  assert.deepEqual(await Promise.all(others), ['7 in 2', '8 in 2', '7 in 2', '9 in 2', '8 in 2'])
})

test('a question that fails fails for those who asked it, and the next one is put', async () => {
  let works = false
  const ask = createBatch(async (ids) => {
    if (!works) throw new Error('no')
    return ids
  })
  const failed = await Promise.allSettled([ask(1), ask(2)])
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  works = true
  assert.equal(await ask(3), 3)
})
