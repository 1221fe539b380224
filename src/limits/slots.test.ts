import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncomingMessage } from 'node:http'
import { Problem } from '../http/problem.ts'
import { createSlots, type TakeSlot } from './slots.ts'

const client = { of: ({ socket }: IncomingMessage) => socket.remoteAddress ?? '' }
const from = (remoteAddress: string) => ({ raw: { socket: { remoteAddress } } as IncomingMessage })

function refusal(take: TakeSlot, address: string): [status: number, code: string, retryAfter: number] {
  try {
    take(from(address))
  } catch (error) {
    assert.ok(error instanceof Problem)
    return [error.status, error.code, Number(error.headers['retry-after'])]
  }
  throw new Error('it was not refused')
}

test('slots are limited per client and in total, and a released slot can be taken again', () => {
  const { streams: take } = createSlots(client, { streams: { perClient: 2, total: 3 } })
  const [first, second] = [take(from('a')), take(from('a'))]
  assert.deepEqual(refusal(take, 'a'), [429, 'rate_limited', 30])
  const third = take(from('b'))
  assert.equal(third.client, 'b')
  assert.deepEqual(refusal(take, 'c'), [503, 'unavailable', 30])
  first.release()
  first.release()
  const fourth = take(from('c'))
  assert.deepEqual(refusal(take, 'd'), [503, 'unavailable', 30], 'a slot is released once')
  for (const { release } of [second, third, fourth]) release()
  for (const address of ['a', 'a', 'e']) take(from(address))
  assert.equal(refusal(take, 'e')[0], 503)
})

test('streams, exports and statistics have separate limits', () => {
  const { streams, exports, stats } = createSlots(client)
  for (const [take, perClient] of [
    [streams, 4],
    [exports, 4],
    [stats, 16],
  ] as const) {
    for (let at = 0; at < perClient; at++) take(from('a'))
    assert.equal(refusal(take, 'a')[0], 429)
    take(from('b'))
  }
})
