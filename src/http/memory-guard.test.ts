import assert from 'node:assert/strict'
import { mock, test, type TestContext } from 'node:test'
import { createFairPool } from '../lib/fair-pool.ts'
import { asHolder } from '../lib/holder.ts'
import { createMemoryGuard, createMemoryShare, type MemoryOfPool } from './memory-guard.ts'

const MOST = 1000

/** A pool of connections that a stranger's network fills, beside one of another network. */
function start(t: TestContext, given: Partial<MemoryOfPool<string>> = {}) {
  mock.timers.enable({ apis: ['setTimeout'] })
  const pool = createFairPool<string>({ capacity: MOST })
  const left: string[] = []
  const changes: [boolean, string][] = []
  const uses = {
    process: { used: 100, limit: 1000 },
    heap: { used: 10, limit: 500 },
    sockets: { used: 0, limit: 500 },
    tcp: { used: 1, limit: 100 },
  }
  const guard = createMemoryGuard({
    shares: [
      createMemoryShare({ pool, kinds: ['process', 'heap'], most: MOST, leave: (entry) => left.push(entry), ...given }),
    ],
    onChange: (isShort, kind) => void changes.push([isShort, kind]),
    read: () => uses,
  })
  t.after(() => {
    guard.stop()
    mock.timers.reset()
  })
  const put = (entry: string) => pool.put(entry, asHolder(entry.startsWith('honest') ? '192.0.2.1' : '198.51.100.1'))
  put('honest')
  for (let at = 1; at < 800; at++) put(`stranger ${at}`)
  const part = () => guard.metrics.map((metric) => 'read' in metric && metric.read())
  return { pool, put, left, changes, uses, part }
}

/** In steps: a timer that starts meanwhile counts from the end of one. */
function seconds(count: number): void {
  for (let ms = 0; ms < count * 1000; ms += 50) mock.timers.tick(50)
}

test('while there is memory, nothing gives way', (t) => {
  const { left, changes, part } = start(t)
  seconds(10)
  assert.deepEqual([left, changes, part()], [[], [], [0.1]])
})

for (const kind of ['process', 'heap'] as const)
  test(`while the memory of the ${kind} is short, the largest holder gives way in steps, down to an eighth, and others do not`, (t) => {
    const { pool, left, changes, uses, part } = start(t)
    uses[kind].used = 0.75 * uses[kind].limit
    mock.timers.tick(200)
    assert.deepEqual([left.length, changes, part()], [50, [[true, kind]], [0.75]])
    seconds(5)
    assert.equal(pool.length(), MOST / 8)
    assert.equal(left.includes('honest'), false)
    assert.equal(changes.length, 1)
  })

test('nothing gives way for memory of a kind that it does not take, and that is short', (t) => {
  const { left, changes, uses, part } = start(t)
  uses.tcp.used = 90
  seconds(5)
  assert.deepEqual([left, changes, part()], [[], [[true, 'tcp']], [0.9]])
})

const STEP = Math.ceil(MOST / 16)

test('once there is enough memory again, as much is accepted as before, step by step', (t) => {
  const { pool, put, changes, uses } = start(t)
  uses.process.used = 800
  seconds(5)
  uses.process.used = 500
  mock.timers.tick(50)
  assert.deepEqual(changes, [
    [true, 'process'],
    [false, 'process'],
  ])
  for (let at = 0; at < MOST; at++) put(`later ${at}`)
  assert.equal(pool.length(), MOST / 8 + STEP)
  seconds(5)
  for (let at = 0; at < MOST; at++) put(`at last ${at}`)
  assert.equal(pool.length(), MOST)
})

test('memory that stays taken after a flood, and is not short, keeps nobody out: more is accepted each second', (t) => {
  const { pool, put, changes, uses } = start(t)
  uses.process.used = 800
  seconds(5)
  uses.process.used = 650
  seconds(2)
  for (let at = 0; at < MOST; at++) put(`later ${at}`)
  assert.equal(pool.length(), MOST / 8 + 2 * STEP)
  assert.deepEqual(changes, [[true, 'process']])
  seconds(28)
  for (let at = 0; at < MOST; at++) put(`at last ${at}`)
  assert.equal(pool.length(), MOST)
  assert.deepEqual(changes.at(-1), [false, 'process'])
})

/** Of memory that nothing else takes of, the number of which the kernel says late. */
const alone = { kinds: ['sockets'], isAlone: true, from: 0.6, least: 8 } as const

test('what takes of a memory alone gives way by what there is too much, and once for each number, since the kernel says it late', (t) => {
  const { pool, left, uses } = start(t, alone)
  uses.sockets.used = 600
  seconds(1)
  assert.deepEqual([pool.length(), left.includes('honest')], [400, false])
  uses.sockets.used = 500
  seconds(1)
  assert.equal(pool.length(), 240)
  uses.sockets.used = 299
  seconds(1)
  assert.equal(pool.length(), 240)
})

test('a number that stays the same for two seconds is a new one', (t) => {
  const { pool, uses } = start(t, alone)
  let now = 0
  t.mock.method(performance, 'now', () => now)
  uses.sockets.used = 600
  seconds(1)
  now = 1_999
  seconds(1)
  assert.equal(pool.length(), 400)
  now = 2_000
  seconds(1)
  assert.equal(pool.length(), 200)
})

test('what took of a memory alone comes back, twice as much for each number, and once a second where memory is not quite enough', (t) => {
  const { pool, put, uses } = start(t, alone)
  const fill = () => {
    for (let at = 0; at < MOST; at++) put(`later ${at}`)
    return pool.length()
  }
  uses.sockets.used = 30_000
  seconds(1)
  assert.equal(fill(), 8)
  for (const used of [100, 101, 102]) {
    uses.sockets.used = used
    seconds(0.5)
  }
  assert.equal(fill(), 64)
  uses.sockets.used = 280
  seconds(2)
  assert.equal(fill(), 256)
})
