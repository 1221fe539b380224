import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Problem } from '../http/problem.ts'
import { createSlots, type TakeSlot } from './slots.ts'

const client = { of: ({ socket }: { socket: Pick<Socket, 'remoteAddress'> }) => socket.remoteAddress ?? '' }
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

test('slots are limited in total, the latest of whoever has most gives way, and a released slot can be taken again', () => {
  const refused: string[] = []
  const { streams: take } = createSlots(client, { streams: 3 }, (kind) => refused.push(kind))
  const [first, second, third] = [take(from('a')), take(from('a')), take(from('a'))]
  assert.deepEqual(refusal(take, 'a'), [503, 'unavailable', 30])
  assert.equal(third.signal.aborted, false)
  const fourth = take(from('b'))
  assert.deepEqual(fourth.holder, { client: 'b', network: 'b', allocation: 'b', about: undefined })
  assert.deepEqual([first.signal.aborted, second.signal.aborted, third.signal.aborted], [false, false, true])
  assert.equal((third.signal.reason as Problem).status, 503)
  third.release()
  assert.deepEqual(refusal(take, 'b'), [503, 'unavailable', 30], 'a slot is released once')
  first.release()
  first.release()
  take(from('b'))
  assert.deepEqual(refusal(take, 'a'), [503, 'unavailable', 30])
  assert.deepEqual(refused, ['streams', 'streams', 'streams', 'streams'])
})

test('of the exports of one client, the one that its client has read least of lately gives way', () => {
  const { exports: take } = createSlots(client, { exports: 2 })
  const [slow, fast] = [take(from('a')), take(from('a'))]
  slow.advance()
  fast.advance()
  take(from('b'))
  assert.deepEqual([slow.signal.aborted, fast.signal.aborted], [true, false])
  slow.advance()
  assert.deepEqual(refusal(take, 'b'), [503, 'unavailable', 30], 'an export that gave way takes no slot again')
})

test('streams, exports and statistics have separate limits', () => {
  const { streams, exports, stats } = createSlots(client)
  for (const [take, most] of [
    [streams, 1000],
    [exports, 50],
    [stats, 256],
  ] as const) {
    for (let at = 0; at < most; at++) take(from('a'))
    assert.equal(refusal(take, 'a')[0], 503)
    take(from('b'))
  }
})
