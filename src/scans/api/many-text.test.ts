import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../http/problem.ts'
import { createManyText, type ReadLinks } from './many-text.ts'
import type { CountedLink } from '../statistics/stats-of-many.ts'
import type { LinkCounts } from '../statistics/stats.ts'

const counts = (scans: number): LinkCounts => ({
  totals: { scans, unique_visitors: 0, humans: scans, bots: 0, qr: 0, link: scans },
  unique_visitors: 0,
  series: [{ date: '2026-11-21', scans, unique_visitors: 0 }],
})

/** Reads links with one scan each, and records the calls. */
function start(failAt = Number.POSITIVE_INFINITY) {
  const calls: CountedLink[][] = []
  const read: ReadLinks = async (links) => {
    if (calls.push(links) > failAt) throw new Error('the warehouse is closed')
    const sum = counts(links.filter(({ isCounted }) => isCounted).length)
    return { from: '2026-11-21', to: '2026-11-21', texts: links.map(() => JSON.stringify(counts(1))), sum }
  }
  return { calls, read }
}

const links = (count: number) => Array.from({ length: count }, (_, id) => ({ id, code: `code${id}` }))
const query = (days: number) => ({ days, timeZone: 'UTC', audience: 'all' }) as const

test('a call reads at most 100 links and 2,000 days, and none before the client has read what came before', async () => {
  for (const [days, sizes] of [
    [1, [100, 100, 50]],
    [30, [66, 66, 66, 52]],
    [1500, Array.from({ length: 250 }, () => 1)],
  ] as const) {
    const { calls, read } = start()
    const pieces = await createManyText(links(250), query(days), read, () => ({}))
    assert.equal(calls.length, 1)
    await pieces.next()
    assert.equal(calls.length, 1)
    let text = ''
    for await (const piece of pieces) text += piece
    assert.ok(text.endsWith('}'))
    assert.deepEqual(
      calls.map((call) => call.length),
      sizes,
    )
  }
})

test('the pieces are one JSON document, also where every row of a call is an error', async () => {
  const { calls, read } = start()
  const wrong = Array.from({ length: 150 }, () => new Problem('unknown_token', 'no link has this token'))
  const outcomes = [...wrong, ...links(2), ...links(1)]
  let text = ''
  const asOf = () => ({ as_of: '2026-11-21T00:00:00.000Z' })
  for await (const piece of await createManyText(outcomes, query(1), read, asOf)) text += piece
  const parsed = JSON.parse(text) as { as_of: string; links: object[]; total: { links: number } & LinkCounts }
  assert.deepEqual([parsed.as_of, parsed.links.length, calls.length], ['2026-11-21T00:00:00.000Z', 153, 2])
  assert.deepEqual(parsed.links[149], {
    index: 149,
    error: { code: 'unknown_token', detail: 'no link has this token', errors: [] },
  })
  assert.deepEqual(parsed.links[152], { index: 152, code: 'code0', ...counts(1) })
  assert.deepEqual([parsed.total.links, parsed.total.totals.scans], [2, 2])
})

test('an error of the first call is thrown before anything is sent', async () => {
  await assert.rejects(
    createManyText(links(3), query(30), start(0).read, () => ({})),
    /closed/,
  )
})
