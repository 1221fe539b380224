import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReader } from './reader.ts'
import type { StatsQuery } from './stats.ts'
import type { WarehouseClient } from './warehouse-client.ts'

/** A warehouse that answers when it is told to, and what it was asked. */
function start() {
  const asked: [name: string, ...args: unknown[]][] = []
  const answers: (() => void)[] = []
  const call = (...question: (typeof asked)[number]) => {
    const number = asked.push(question)
    return new Promise((resolve) => answers.push(() => resolve(number)))
  }
  const reader = createReader({ call } as unknown as WarehouseClient, () => 1000 + asked.length)
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return {
    asked,
    reader,
    turn,
    answer: () => {
      answers.shift()?.()
      return turn()
    },
  }
}

const month: StatsQuery = { days: 30, timeZone: 'UTC', audience: 'all' }

test('equal questions that wait are asked once, and none is answered by one that was put before it came', async () => {
  const { asked, reader, turn, answer } = start()
  const first = reader.stats('a', 1, month)
  await turn()
  // The first is on its way: what is folded from now on, it may not know.
  const same = [reader.stats('a', 1, month), reader.stats('b', 1, { ...month }), reader.stats('c', 1, month)]
  const others = [
    reader.stats('a', 2, month),
    reader.stats('a', 1, { ...month, days: 31 }),
    reader.stats('a', 1, { ...month, timeZone: 'Asia/Tokyo' }),
    reader.stats('a', 1, { ...month, audience: 'bot' }),
  ]
  for (let at = 0; at < 6; at++) await answer()
  assert.equal(asked.length, 6)
  assert.deepEqual(asked.slice(0, 3), [
    ['stats', 1, month, 1000],
    ['stats', 1, month, 1001],
    ['stats', 2, month, 1002],
  ])
  assert.deepEqual(await Promise.all([first, ...same, ...others]), [1, 2, 2, 2, 3, 4, 5, 6])
})

test('one question for statistics or an export waits for the thread at a time, and one for totals', async () => {
  const { asked, reader, turn, answer } = start()
  for (let linkId = 1; linkId <= 50; linkId++) {
    void reader.stats('greedy', linkId, month)
    void reader.page('greedy', linkId, { at: 0, n: 0 }, 10)
    void reader.totals(linkId)
  }
  void reader.stats('modest', 99, month)
  await turn()
  assert.deepEqual(asked.map(([name]) => name).sort(), ['stats', 'totals'])
  for (let at = 0; at < 3; at++) await answer()
  // Who wants little does not wait for all that another wants.
  assert.ok(
    asked.some(([name, linkId]) => name === 'stats' && linkId === 99),
    JSON.stringify(asked),
  )
})
