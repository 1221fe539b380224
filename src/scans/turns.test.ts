import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './turns.ts'

/** Work that is under way until it is told to end. */
function workshop() {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<string>((resolve) => ends.push(() => resolve(name)))
  }
  return { begun, work, end: () => ends.shift()?.() }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('clients take turns: whoever wants much waits behind whoever wants little', async () => {
  const { begun, work, end } = workshop()
  const turns = createTurns()
  const all = [
    ...['a1', 'a2', 'a3', 'a4'].map((name) => turns.run('a', work(name))),
    ...['b1', 'b2'].map((name) => turns.run('b', work(name))),
    turns.run('c', work('c1')),
  ]
  assert.deepEqual(begun, [], 'nothing begins before its caller knows of it')
  for (let at = 1; at <= all.length; at++) {
    await turn()
    assert.equal(begun.length, at, 'one at a time')
    end()
  }
  assert.deepEqual(begun, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'])
})

test('work that fails fails for its caller alone, and the next has its turn', async () => {
  const turns = createTurns()
  const failing = turns.run('a', () => Promise.reject(new Error('no')))
  const next = turns.run('a', async () => 'done')
  await assert.rejects(failing, /no/)
  assert.equal(await next, 'done')
  assert.equal(await turns.run('a', async () => 'again'), 'again')
})
