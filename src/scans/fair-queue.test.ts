import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue } from './fair-queue.ts'

/** Tasks that run until the test ends them. */
function controlledTasks() {
  const started: string[] = []
  const ends: (() => void)[] = []
  const task = (name: string) => () => {
    started.push(name)
    return new Promise<string>((resolve) => ends.push(() => resolve(name)))
  }
  return { started, task, end: () => ends.shift()?.() }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('clients are served round-robin: a client with one task does not wait for all tasks of another', async () => {
  const { started, task, end } = controlledTasks()
  const queue = createFairQueue()
  const all = [
    ...['a1', 'a2', 'a3', 'a4'].map((name) => queue.run('a', task(name))),
    ...['b1', 'b2'].map((name) => queue.run('b', task(name))),
    queue.run('c', task('c1')),
  ]
  assert.deepEqual(started, [], 'no task starts before its call has returned')
  for (let at = 1; at <= all.length; at++) {
    await turn()
    assert.equal(started.length, at, 'one at a time')
    end()
  }
  assert.deepEqual(started, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'])
})

test('a task that fails rejects for its caller alone, and the next task runs', async () => {
  const queue = createFairQueue()
  const failing = queue.run('a', () => Promise.reject(new Error('no')))
  const next = queue.run('a', async () => 'done')
  await assert.rejects(failing, /no/)
  assert.equal(await next, 'done')
  assert.equal(await queue.run('a', async () => 'again'), 'again')
})
