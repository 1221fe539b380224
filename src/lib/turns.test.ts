import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asHolder } from './holder.ts'
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

const refusal = () => new Error('too many wait')
const who = (client: string) => ({ holder: asHolder(client) })

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('no more work runs at a time than may, and clients take turns', async () => {
  const { started, work, end } = createWork()
  const { run } = createTurns({ waiting: 8, concurrent: 1 }, refusal)
  const all = ['a1', 'a2', 'a3', 'b1'].map((name) => run(who(name.slice(0, 1)), work(name)))
  for (const expected of [['a1'], ['a1', 'a2'], ['a1', 'a2', 'b1'], ['a1', 'a2', 'b1', 'a3']]) {
    await settle()
    assert.deepEqual(started, expected)
    end(expected.at(-1) ?? '')
  }
  assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'b1'])
})

test('work that fails makes room for the next', async () => {
  const { work, end } = createWork()
  const { run } = createTurns({ waiting: 8, concurrent: 1 }, refusal)
  const failing = run(who('a'), work('a1'))
  const next = run(who('a'), work('a2'))
  await settle()
  end('a1', new Error('broken'))
  await assert.rejects(failing, /broken/)
  await settle()
  end('a2')
  assert.equal(await next, 'a2')
})

test('what finds no place is refused at once, and one holder may have all places', async () => {
  const { work } = createWork()
  const { run, waiting } = createTurns({ waiting: 4, concurrent: 1 }, refusal)
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void run(who('a'), work(name))
  await assert.rejects(run(who('a'), work('a6')), /too many wait/)
  assert.equal(waiting(), 4)
})

test('holders that fill the queue keep no other out: the last of whoever has most, and had most, is refused for it', async () => {
  const { started, work, end } = createWork()
  const { run } = createTurns({ waiting: 4, concurrent: 1 }, refusal)
  const outcome = (name: string) => run(who(name.slice(0, 1)), work(name)).catch(() => 'refused')
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'd1', 'e1'].map(outcome)
  for (let at = 0; at < 5; at++) {
    await settle()
    end(started.at(-1) ?? '')
  }
  assert.deepEqual(await Promise.all(all), ['a1', 'refused', 'refused', 'b1', 'refused', 'c1', 'd1', 'e1'])
})

test('where one network keeps its places for long, there are as many for others, one for each', async () => {
  const { started, work, end } = createWork()
  const { run, waiting } = createTurns({ waiting: 9, concurrent: 2, hasPlacesForOthers: true }, refusal)
  const abort = new AbortController()
  const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'd1']
  const all = names.map((name) => run(who(name.slice(0, 1)), work(name)))
  const leaving = run({ ...who('e'), signal: abort.signal }, work('e1'))
  abort.abort(new Error('unwanted'))
  await assert.rejects(leaving, /unwanted/)
  await settle()
  assert.deepEqual(started, ['a1', 'a2', 'b1', 'c1'])
  // For networks that have none.
  end('b1')
  end('c1')
  await settle()
  assert.deepEqual(started.slice(4), ['b2', 'd1'])
  end('d1')
  await settle()
  assert.equal(started.length, 6)
  end('a1')
  end('b2')
  end('a2')
  await settle()
  end('a3')
  assert.deepEqual(await Promise.all(all), names)
  assert.equal(waiting(), 0)
})

test('work whose signal aborts leaves the queue, and does not start', async () => {
  const { started, work, end } = createWork()
  const { run, waiting } = createTurns({ waiting: 4, concurrent: 1 }, refusal)
  const first = run(who('a'), work('a1'))
  const abort = new AbortController()
  const leaving = run({ ...who('a'), signal: abort.signal }, work('a2'))
  abort.abort(new Error('unwanted'))
  await assert.rejects(leaving, /unwanted/)
  await assert.rejects(run({ ...who('a'), signal: abort.signal }, work('a3')), /unwanted/)
  assert.equal(waiting(), 0)
  end('a1')
  assert.equal(await first, 'a1')
  assert.deepEqual(started, ['a1'])
})

test('networks that come back as soon as they were served keep no newcomer out, until a while after they stop', async () => {
  let now = 0
  const { started, work, end } = createWork()
  const { run } = createTurns({ waiting: 4, concurrent: 1 }, refusal, () => now)
  const strangers = ['a', 'b', 'c', 'd', 'e', 'f']
  const refused: string[] = []
  const ask = (client: string, name: string) => void run(who(client), work(name)).catch(() => refused.push(name))
  for (let round = 0; round < 3; round++) {
    for (const client of strangers) ask(client, `${client}${round}`)
    await settle()
    end(started.at(-1) ?? '')
    await settle()
  }
  for (const client of strangers) ask(client, `${client} at last`)
  await settle()
  refused.length = 0
  ask('honest', 'honest')
  await settle()
  assert.deepEqual([refused.length, refused.includes('honest')], [1, false])

  now += 121_000
  while (!started.includes('honest')) {
    end(started.at(-1) ?? '')
    await settle()
  }
  for (const client of ['h', 'i', 'j', 'k']) ask(client, client)
  await settle()
  ask('a', 'a again')
  await settle()
  assert.ok(refused.includes('a again'))
})
