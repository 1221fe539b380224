import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asHolder } from './holder.ts'
import { createSharedWork, type SharedTurn } from './shared-work.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))
const who = (client: string, signal?: AbortSignal) => ({ holder: asHolder(client), signal })

/** Turns that come, and work that ends, when the test says so. */
function start(options?: { mayJoinLate: boolean }) {
  const { share } = createSharedWork<string>(options)
  const turns = new Map<string, SharedTurn & PromiseWithResolvers<string>>()
  const want = (client: string, signal?: AbortSignal) =>
    share('work', who(client, signal), ({ signal: unwanted, onBegin }) => {
      const result = Promise.withResolvers<string>()
      unwanted.addEventListener('abort', () => result.reject(unwanted.reason))
      turns.set(client, { ...result, signal: unwanted, onBegin })
      return result.promise
    })
  const turnOf = (client: string) => turns.get(client) ?? assert.fail(`${client} has no turn`)
  return { want, turns, turnOf }
}

test('each network waits in a turn of its own, and the first that comes is for all', async () => {
  const { want, turns, turnOf } = start()
  const all = ['192.0.2.1', '192.0.2.2', '198.51.100.1'].map((client) => want(client))
  assert.deepEqual([...turns.keys()], ['192.0.2.1', '198.51.100.1'])
  turnOf('198.51.100.1').onBegin()
  assert.equal(turnOf('192.0.2.1').signal.aborted, true)
  await settle()
  turnOf('198.51.100.1').resolve('done')
  assert.deepEqual(await Promise.all(all), ['done', 'done', 'done'])
})

test('a turn that is refused takes none with it that others wait for, and the last one all', async () => {
  const { want, turnOf } = start()
  const all = ['192.0.2.1', '198.51.100.1'].map((client) => want(client))
  turnOf('192.0.2.1').reject(new Error('too many of yours wait'))
  await settle()
  turnOf('198.51.100.1').reject(new Error('too many wait'))
  for (const each of all) await assert.rejects(each, /too many wait/)
})

test('what work fails with is for all', async () => {
  const { want, turnOf } = start()
  const all = ['192.0.2.1', '198.51.100.1'].map((client) => want(client))
  turnOf('192.0.2.1').onBegin()
  turnOf('192.0.2.1').reject(new Error('no code has this design'))
  for (const each of all) await assert.rejects(each, /no code has this design/)
})

for (const mayJoinLate of [true, false])
  test(`who comes when work has begun ${mayJoinLate ? 'shares it' : 'waits for new work'}`, async () => {
    const { want, turns, turnOf } = start({ mayJoinLate })
    const early = want('192.0.2.1')
    const first = turnOf('192.0.2.1')
    first.onBegin()
    const late = want('192.0.2.1')
    assert.equal(turns.get('192.0.2.1') === first, mayJoinLate)
    first.resolve('early')
    assert.equal(await early, 'early')
    turnOf('192.0.2.1').resolve('late')
    assert.equal(await late, mayJoinLate ? 'early' : 'late')
  })

test('work is given up once nobody wants it, and who leaves is told at once', async () => {
  const { want, turns, turnOf } = start()
  const [a, b, c] = [new AbortController(), new AbortController(), new AbortController()]
  const [first, second] = [want('192.0.2.1', a.signal), want('198.51.100.1', b.signal)]
  a.abort(new Error('a has left'))
  await assert.rejects(first, /a has left/)
  assert.equal(turnOf('192.0.2.1').signal.aborted, true)
  turnOf('198.51.100.1').onBegin()
  assert.equal(turnOf('198.51.100.1').signal.aborted, false)
  b.abort(new Error('b has left'))
  await assert.rejects(second, /b has left/)
  assert.equal(turnOf('198.51.100.1').signal.aborted, true)
  turns.clear()
  const third = want('198.51.100.1', c.signal)
  assert.equal(turns.size, 1)
  c.abort(new Error('c has left'))
  await assert.rejects(third, /c has left/)
})
