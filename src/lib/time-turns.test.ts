import assert from 'node:assert/strict'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { test } from 'node:test'
import { asHolder } from './holder.ts'
import { createTimeTurns } from './time-turns.ts'

const export_ = { holder: asHolder('192.0.2.1') }
const stranger = (at: number) => ({ holder: asHolder(`198.51.${at}.1`) })

/** Work takes time on a clock of the test. */
function start() {
  let now = 0
  const had = new Map<string, number>()
  const turns = createTimeTurns(() => now)
  const run = (who: typeof export_, name: string, ms: number) =>
    turns.run(who, async () => {
      await nextIteration()
      now += ms
      had.set(name, (had.get(name) ?? 0) + ms)
    })
  const ofAll = () => [...had.values()].reduce((sum, ms) => sum + ms, 0)
  return { turns, run, had, ofAll }
}

/** Asks for the next piece once the last has ended. */
async function download(pieces: number, run: () => Promise<void>): Promise<void> {
  for (let at = 0; at < pieces; at++) await run()
}

test('a download in small pieces has as much time as each network that asks for what takes long, however much that wants', async () => {
  const { run, had, ofAll } = start()
  const long = [1, 2, 3].flatMap((at) => Array.from({ length: 20 }, () => run(stranger(at), `stranger ${at}`, 85)))
  await download(100, () => run(export_, 'export', 4))
  const share = (had.get('export') ?? 0) / ofAll()
  assert.ok(share > 0.2 && share < 0.3, `its share of the time was ${share}`)
  await Promise.all(long)
})

test('who comes later has no claim to the time before', async () => {
  const { run, had } = start()
  await download(100, () => run(export_, 'export', 10))
  had.clear()
  const others = Array.from({ length: 100 }, () => run(stranger(1), 'stranger', 10))
  await download(50, () => run(export_, 'export', 10))
  const [exported = 0, other = 0] = [had.get('export'), had.get('stranger')]
  assert.ok(Math.abs(exported - other) <= 30, `${exported} and ${other} ms`)
  await Promise.all(others)
})

test('one piece of work runs at a time; who leaves is not served, and a failure ends only its own', async () => {
  const { turns, run } = start()
  const [abort, order] = [new AbortController(), [] as string[]]
  let running = 0
  const note = (name: string) => async () => {
    assert.equal(++running, 1)
    await nextIteration()
    running--
    order.push(name)
  }
  const all = [
    turns.run(export_, note('first')),
    turns.run({ ...stranger(1), signal: abort.signal }, note('left')),
    turns.run(stranger(2), async () => {
      await note('failed')()
      throw new Error('failed')
    }),
    turns.run(stranger(3), note('last')),
  ]
  assert.equal(turns.waiting(), 3)
  abort.abort(new Error('left'))
  const results = await Promise.allSettled(all)
  assert.deepEqual(
    [order, results.map(({ status }) => status)],
    [
      ['first', 'failed', 'last'],
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    ],
  )
  await run(export_, 'export', 1)
  assert.equal(turns.waiting(), 0)
})
