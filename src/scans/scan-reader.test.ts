import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../http/problem.ts'
import { GaveWay } from './gave-way.ts'
import { createScanReader } from './scan-reader.ts'
import type { StatsQuery } from './statistics/stats-query.ts'
import type { WarehouseClient } from './warehouse-client.ts'
import { asHolder } from '../lib/holder.ts'

/** A warehouse that records its calls and returns when the test says so. */
function start() {
  const calls: [name: string, ...args: unknown[]][] = []
  const returns: (() => void)[] = []
  const call = (...received: (typeof calls)[number]) => {
    const number = calls.push(received)
    return new Promise((resolve) => returns.push(() => resolve(number)))
  }
  const reader = createScanReader({ call } as Pick<WarehouseClient, 'call'>, () => 1000 + calls.length)
  // The next call starts in the iteration after the one that the last has ended in.
  const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  return {
    calls,
    reader,
    turn,
    finish: () => {
      returns.shift()?.()
      return turn()
    },
  }
}

const who = (client: string, signal?: AbortSignal) => ({ holder: asHolder(client), signal })
const month: StatsQuery = { days: 30, timeZone: 'UTC', audience: 'all' }

test('equal queries that wait share a call, and none gets the result of a call that started before it', async () => {
  const { calls, reader, turn, finish } = start()
  const first = reader.stats(who('a'), 1, month)
  await turn()
  // The first call has started: it may miss what is folded from now on.
  const same = [
    reader.stats(who('a'), 1, month),
    reader.stats(who('b'), 1, { ...month }),
    reader.stats(who('c'), 1, month),
  ]
  const others = [
    reader.stats(who('a'), 2, month),
    reader.stats(who('a'), 1, { ...month, days: 31 }),
    reader.stats(who('a'), 1, { ...month, timeZone: 'Asia/Tokyo' }),
    reader.stats(who('a'), 1, { ...month, audience: 'bot' }),
    reader.stats(who('a'), 1, { ...month, to: '2026-10-31' }),
    reader.stats(who('a'), 1, { ...month, interval: 'week' }),
    reader.stats(who('a'), 1, { ...month, compare: 'year' }),
    reader.stats(who('a'), 1, { ...month, heat: true }),
    reader.stats(who('a'), 1, { ...month, limit: 5 }),
  ]
  for (let at = 0; at < 11; at++) await finish()
  assert.equal(calls.length, 11)
  assert.deepEqual(calls.slice(0, 3), [
    ['quickStats', 1, month, 1000],
    ['quickStats', 1, month, 1001],
    ['quickStats', 2, month, 1002],
  ])
  assert.deepEqual(await Promise.all([first, ...same, ...others]), [1, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
})

test('at most one call for statistics or an export is queued at the thread, and one for totals', async () => {
  const { calls, reader, turn, finish } = start()
  for (let linkId = 1; linkId <= 50; linkId++) {
    void reader.stats(who('greedy'), linkId, month)
    void reader.page(who('greedy'), { name: 'scans', linkId }, [], 10)
    void reader.totals(linkId)
  }
  void reader.stats(who('modest'), 99, month)
  await turn()
  assert.deepEqual(calls.map(([name]) => name).sort(), ['quickStats', 'totals'])
  for (let at = 0; at < 3; at++) await finish()
  // A client with one query does not wait for all queries of another.
  assert.ok(
    calls.some(([name, linkId]) => name === 'quickStats' && linkId === 99),
    JSON.stringify(calls),
  )
})

test('a query that gives way takes none with it that shares its call', async () => {
  const { calls, reader, turn, finish } = start()
  const first = reader.stats(who('a'), 1, month)
  await turn()
  const abort = new AbortController()
  const leaving = reader.stats(who('a', abort.signal), 2, month)
  const sharing = reader.stats(who('b'), 2, month)
  abort.abort(new Error('it gave way'))
  await assert.rejects(leaving, /gave way/)
  assert.equal(calls.length, 1)
  for (let at = 0; at < 2; at++) await finish()
  assert.deepEqual(await Promise.all([first, sharing]), [1, 2])
  assert.equal(reader.queued(), 0)
})

test('statistics that take long wait apart: those of others, and exports, are read meanwhile', async () => {
  const started: string[] = []
  const long = Promise.withResolvers<string>()
  const call = async (name: string, linkId: unknown) => {
    started.push(`${name} ${JSON.stringify(linkId)}`)
    if (name.startsWith('quickStats')) return [2, 3].includes(linkId as number) ? 'quick' : undefined
    return name === 'stats' && linkId === 1 ? long.promise : name
  }
  const reader = createScanReader({ call } as Pick<WarehouseClient, 'call'>, () => 1000)
  const slow = reader.stats(who('greedy'), 1, month)
  const same = reader.stats(who('other'), 1, month)
  const many = reader.statsOfMany(who('other'), [{ id: 4, isCounted: true }], month, 1000)
  const set = reader.statsOfSet(who('third'), { key: 'set', ids: [4] }, month)
  assert.equal(await reader.stats(who('modest'), 2, month), 'quick')
  assert.equal(await reader.page(who('modest'), { name: 'scans', linkId: 5 }, [], 10), 'exportPage')
  assert.equal(await reader.stats(who('greedy'), 3, month), 'quick')
  assert.deepEqual(
    started.filter((each) => !each.startsWith('quick')),
    ['stats 1', 'exportPage {"name":"scans","linkId":5}'],
  )
  long.resolve('long')
  assert.deepEqual(await Promise.all([slow, same, many, set] as Promise<unknown>[]), [
    'long',
    'long',
    'statsOfMany',
    'statsOfSet',
  ])
  assert.equal(reader.queued(), 0)
})

test('a question that takes long is given up in the thread when its client has gone, and the next one is asked', async () => {
  const { turn } = start()
  const gone = new AbortController()
  const asked: unknown[][] = []
  let reject: (error: Error) => void = () => {}
  const call = async (name: string, ...args: unknown[]) => {
    asked.push([name, ...args])
    if (name === 'quickStats') return undefined
    if (name === 'abandon') return reject(new Error('abandoned'))
    if (args[0] === 2) return 'the second'
    return new Promise((_, refuse) => (reject = refuse))
  }
  const { stats } = createScanReader({ call } as Pick<WarehouseClient, 'call'>, () => 5)
  const first = stats(who('a', gone.signal), 1, month)
  const second = stats(who('b'), 2, month)
  for (let at = 0; at < 5; at++) await turn()
  gone.abort(new Error('gone'))
  await assert.rejects(first, /gone/)
  assert.equal(await second, 'the second')
  assert.deepEqual(
    asked.filter(([name]) => name !== 'quickStats'),
    [
      ['stats', 1, month, 5, 1],
      ['abandon', 1],
      ['stats', 2, month, 5, 2],
    ],
  )
})

test('who has asked for much makes nobody of another network wait that asks for the same', async () => {
  const { calls, reader, turn, finish } = start()
  for (let linkId = 1; linkId <= 20; linkId++) void reader.stats(who('192.0.2.1'), linkId, month)
  void reader.stats(who('192.0.2.1'), 99, month)
  await turn()
  const honest = reader.stats(who('198.51.100.1'), 99, month)
  for (let at = 0; at < 2; at++) await finish()
  // Networks have the same time, and the other one has had some.
  assert.deepEqual(
    calls.slice(0, 3).map(([, linkId]) => linkId),
    [1, 99, 2],
  )
  assert.equal(await honest, 2)
})

test('statistics that gave way to the fold are answered with 503, and other errors as they are', async () => {
  const answers = [new GaveWay('too long'), Object.assign(new Error('too long'), { code: 'ERR_OTHER' })]
  for (const answer of answers) {
    const call = async (name: string) => (name === 'quickStats' ? undefined : Promise.reject(answer))
    const reader = createScanReader({ call } as Pick<WarehouseClient, 'call'>, () => 0)
    const error = await reader.stats(who('a'), 1, month).catch((thrown: unknown) => thrown)
    if (answer instanceof GaveWay) assert.ok(error instanceof Problem && error.status === 503)
    else assert.equal(error, answer)
  }
})
