import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startReceiver } from '../../test/support/receiver.ts'
import { createGuardedRequest } from './guarded-request.ts'
import { createOutgoingMemory } from './outgoing-memory.ts'
import {
  createReceivers,
  machineOf,
  MAX_A_MINUTE,
  MAX_AT_ONCE,
  MAX_IN_NETWORK,
  MAX_UNPAUSED,
  NotNow,
  siteOf,
} from './receivers.ts'

const MINUTE_MS = 60_000

describe('a receiver', () => {
  test('has so many requests at the same time', () => {
    const receivers = createReceivers(() => 1_000)
    const ends = Array.from({ length: MAX_AT_ONCE + 1 }, () => receivers.enter('x'))
    assert.deepEqual(
      ends.map((end) => end === undefined),
      [...Array<boolean>(MAX_AT_ONCE).fill(false), true],
    )
    assert.deepEqual([receivers.standing('x'), receivers.standing('y'), receivers.busy()], ['busy', 'free', ['x']])
    ends[0]?.()
    assert.deepEqual([receivers.standing('x'), receivers.busy()], ['free', []])
  })

  test('has so many requests in any minute, and the share is whole again soon after the last', () => {
    let now = 0
    const receivers = createReceivers(() => now)
    const sent: number[] = []
    for (; now < 10 * MINUTE_MS; now += 50) {
      // Bursts and pauses of all lengths.
      if (Math.floor(now / 7_000) % 3 === 0) continue
      for (let end = receivers.enter('x'); end !== undefined; end = receivers.enter('x')) {
        sent.push(now)
        end()
      }
    }
    const inMinuteFrom = (from: number) => sent.filter((at) => at >= from && at < from + MINUTE_MS).length
    assert.ok(Math.max(...sent.map(inMinuteFrom)) <= MAX_A_MINUTE)
    assert.equal(sent.filter((at) => at === sent[0]).length, MAX_UNPAUSED)
    assert.equal(receivers.isAnySpent(), true)
    now += MINUTE_MS / 5
    assert.equal(receivers.isAnySpent(), false)
  })

  test('is free at once when the clock is set back, which was ahead as its share was spent', () => {
    let now = 10 * MINUTE_MS
    const receivers = createReceivers(() => now)
    for (let end = receivers.enter('x', 'a'); end !== undefined; end = receivers.enter('x', 'a')) end()
    const spent = receivers.nextTry('x', 'a')
    assert.equal(receivers.standing('x'), 'spent')
    now = MINUTE_MS
    assert.equal(receivers.standing('x'), 'free')
    assert.equal(receivers.isAnySpent(), false)
    assert.ok(receivers.nextTry('x', 'a') < spent - 8 * MINUTE_MS)
  })

  test('is tried again at one time after the other, none in the past', () => {
    let now = 1_000
    const { nextTry } = createReceivers(() => now)
    const times = [nextTry('x'), nextTry('x'), nextTry('y')]
    assert.ok((times[0] ?? 0) > now && (times[1] ?? 0) > (times[0] ?? 0))
    assert.equal(times[2], times[0])
    now = MINUTE_MS
    assert.ok(nextTry('x') > now)
  })

  test('is tried again for a network soon after the first of each other, however many of theirs wait', () => {
    let now = 1_000
    const { nextTry, enter, lastTurn } = createReceivers(() => now)
    const theirs = Array.from({ length: 500 }, () => nextTry('x', 'a'))
    const mine = nextTry('x', 'b')
    assert.ok(mine <= (theirs[1] ?? 0), `${mine}`)
    const later = [nextTry('x', 'a'), nextTry('x', 'b')] as const
    assert.ok(later[1] < later[0])
    enter('x', 'a')
    assert.ok(lastTurn('x', 'b') < lastTurn('x', 'a'))
    now += 10 * MINUTE_MS
    nextTry('x', 'c')
    assert.equal(lastTurn('x', 'a'), 0)
  })

  test('shares with the machines of its network, and what was slow leaves half of either to others', () => {
    const receivers = createReceivers(() => 1_000)
    const enter = (address: string, isSlow: boolean) => receivers.enterMachine(address, isSlow)
    const slow: ReturnType<typeof enter>[] = []
    while (slow.length < MAX_AT_ONCE / 2) slow.push(enter('203.0.113.1', true))
    assert.equal(enter('203.0.113.1', true), 'machine 203.0.113.1')
    for (let at = slow.length; at < MAX_IN_NETWORK / 2; at++) slow.push(enter(`203.0.113.${at}`, true))
    assert.ok(!slow.some((leave) => typeof leave === 'string'))
    assert.equal(enter('203.0.113.200', true), 'network 203.0.113')
    assert.equal(typeof enter('203.0.114.1', true), 'function')
    for (let at = slow.length; at < MAX_IN_NETWORK; at++) slow.push(enter(`203.0.113.${100 + at}`, false))
    assert.equal(enter('203.0.113.200', false), 'network 203.0.113')
    for (const leave of slow) if (typeof leave !== 'string') leave()
    assert.equal(typeof enter('203.0.113.200', true), 'function')
  })

  test('leaves a place to what was slow once it was refused, on a machine and in a network that others fill', () => {
    for (const [places, address] of [
      [MAX_AT_ONCE, () => '203.0.113.1'],
      [MAX_IN_NETWORK, (at: number) => `203.0.113.${at}`],
    ] as const) {
      let now = 1_000
      const { enterMachine } = createReceivers(() => now)
      const others = Array.from({ length: places }, (_, at) => enterMachine(address(at)) as () => void)
      assert.equal(typeof enterMachine(address(0), true), 'string')
      others[0]?.()
      assert.equal(typeof enterMachine(address(0)), 'string', 'the place of the slow one is taken by another')
      const leave = enterMachine(address(0), true) as () => void
      assert.equal(typeof leave, 'function')
      leave()
      assert.equal(typeof enterMachine(address(0)), 'string')
      now += MINUTE_MS
      assert.equal(typeof enterMachine(address(0)), 'function')
    }
  })

  test('gives the next place to a network that waits, on a machine and in a network that another one fills', () => {
    for (const [places, address] of [
      [MAX_AT_ONCE, () => '203.0.113.1'],
      [MAX_IN_NETWORK, (at: number) => `203.0.113.${at}`],
    ] as const) {
      for (const isSlow of [true, false]) {
        let now = 1_000
        const { enterMachine, refused } = createReceivers(() => now)
        const enter = (network: string) => {
          const entered = enterMachine(address(0), isSlow, network)
          if (typeof entered !== 'string') return entered
          refused(entered, isSlow, network)
          return undefined
        }
        const theirs = Array.from({ length: isSlow ? places / 2 : places }, (_, at) =>
          enterMachine(address(at), isSlow, 'a'),
        )
        const last = theirs.at(-1)
        now += 100
        assert.deepEqual([enter('a'), enter('b')], [undefined, undefined])
        if (typeof last === 'function') last()
        now += 100
        assert.equal(enter('a'), undefined, 'a place for which another one waits')
        const mine = enter('b')
        assert.ok(mine !== undefined, 'the one that waits gets no place')
        mine()
        now += 100
        assert.equal(enter('b'), undefined, 'no turns are taken')
        const next = enter('a')
        assert.ok(next !== undefined, 'their turn')
        next()
        now += MINUTE_MS
        assert.ok(enter('a') !== undefined, 'a place is kept for one that does not come')
      }
    }
  })

  test('that has nothing is forgotten, and one with a request is not', () => {
    let now = 0
    const receivers = createReceivers(() => now)
    for (let at = 0; at < MAX_AT_ONCE; at++) receivers.enter('busy')
    for (let at = 0; at < 5_000; at++) receivers.enter(`site${at}`)?.()
    now = MINUTE_MS
    for (let at = 0; at < 5_000; at++) receivers.enter(`later${at}`)?.()
    assert.equal(receivers.standing('busy'), 'busy')
  })
})

test('the names of one owner are one receiver, and those below a shared suffix are several', () => {
  const cases = [
    ['a.example.com', 'example.com'],
    ['b.c.example.com:8443', 'example.com'],
    ['example.co.uk.', 'example.co.uk'],
    ['alice.github.io', 'alice.github.io'],
    ['github.io', 'github.io'],
    ['intern', 'intern'],
    ['203.0.113.7:8080', '203.0.113.7'],
    ['[2001:db8::7]:8080', '[2001:db8::7]'],
  ] as const
  for (const [host, site] of cases) assert.equal(siteOf(host), site)
})

test('the addresses of one /64 are one receiver, and IPv4 addresses are several, in any notation', () => {
  assert.equal(machineOf('2001:db8:0:1::7'), machineOf('2001:db8:0:1:ffff::'))
  assert.notEqual(machineOf('2001:db8:0:1::7'), machineOf('2001:db8:0:2::7'))
  assert.equal(machineOf('::ffff:203.0.113.7'), machineOf('203.0.113.7'))
  assert.notEqual(machineOf('203.0.113.7'), machineOf('203.0.113.8'))
})

test('of several addresses of a host, the request goes to one that may have it, and to none when none may', async (t) => {
  const { received, port } = await startReceiver(t)
  const receivers = createReceivers(() => 1_000)
  const request = createGuardedRequest({
    addressesOf: async () => ['127.0.0.5', '127.0.0.6'],
    isAllowed: () => true,
    receivers,
    memory: createOutgoingMemory(),
  })
  const send = () =>
    request(`http://hook.example.com:${port}/`, { method: 'POST', body: '{}', signal: new AbortController().signal })
  const fill = (address: string) => {
    while (typeof receivers.enterMachine(address) !== 'string');
  }
  fill('127.0.0.5')
  assert.equal((await send()).status, 204)
  fill('127.0.0.6')
  await assert.rejects(send(), (error) => error instanceof NotNow && error.until > 1_000)
  assert.equal(received.length, 1)
})
