import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../http/problem.ts'
import { createTurns } from './turns.ts'

/** Work that ends when the test says so. */
function createWork() {
  const started: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const work = (name: string) => () => {
    started.push(name)
    return new Promise<string>((resolve, reject) =>
      ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error))),
    )
  }
  return { started, work, end: (name: string, error?: Error) => ends.get(name)?.(error) }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('no more work runs at a time than may, and clients take turns', async () => {
  const { started, work, end } = createWork()
  const { run } = createTurns({ waiting: 8, concurrent: 1 }, 5)
  const all = ['a1', 'a2', 'a3', 'b1'].map((name) => run(name.slice(0, 1), work(name)))
  for (const expected of [['a1'], ['a1', 'a2'], ['a1', 'a2', 'b1'], ['a1', 'a2', 'b1', 'a3']]) {
    await settle()
    assert.deepEqual(started, expected)
    end(expected.at(-1) ?? '')
  }
  assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'b1'])
})

test('work that fails makes room for the next', async () => {
  const { work, end } = createWork()
  const { run } = createTurns({ waiting: 8, concurrent: 1 }, 5)
  const failing = run('a', work('a1'))
  const next = run('a', work('a2'))
  await settle()
  end('a1', new Error('broken'))
  await assert.rejects(failing, /broken/)
  await settle()
  end('a2')
  assert.equal(await next, 'a2')
})

test('when the queue is full, or the share of a client, it is refused at once with 503 and Retry-After', async () => {
  const { work } = createWork()
  const { run } = createTurns({ waiting: 4, concurrent: 1 }, 5)
  const isRefusal = (error: unknown) =>
    error instanceof Problem && error.status === 503 && error.headers['retry-after'] === '5'
  for (const name of ['a1', 'a2', 'a3']) void run('a', work(name))
  await assert.rejects(run('a', work('a4')), isRefusal)
  for (const name of ['b1', 'b2']) void run('b', work(name)).catch(() => {})
  await assert.rejects(run('b', work('b3')), isRefusal)
})

test('clients that fill the queue keep no other out: the last of whoever has most is refused for it', async () => {
  const { started, work, end } = createWork()
  const { run } = createTurns({ waiting: 4, concurrent: 1 }, 5)
  const outcome = (name: string) => run(name.slice(0, 1), work(name)).catch(({ status }: Problem) => status)
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'd1', 'e1'].map(outcome)
  for (let at = 0; at < 5; at++) {
    await settle()
    end(started.at(-1) ?? '')
  }
  assert.deepEqual(await Promise.all(all), ['a1', 'a2', 503, 'b1', 503, 'c1', 'd1', 503])
})
