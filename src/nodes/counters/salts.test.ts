import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { openSalts } from './salts.ts'

const DAY = Date.UTC(2026, 10, 23)
const HOUR = 3_600_000
const MINUTE = 60_000

/** A node whose store the test replaces, and has asked for the salts of these days. */
async function openNode(stored = new Map<string, string>()) {
  const state = { now: DAY, isAway: false, stored, asked: [] as string[] }
  const obtain = async (day: string, candidate: string) => {
    state.asked.push(day)
    if (state.isAway) throw new Error('away')
    if (!state.stored.has(day)) state.stored.set(day, candidate)
    return state.stored.get(day) ?? ''
  }
  const clock = () => state.now
  const salt = await openSalts({ obtain, now: clock, monotonic: clock })
  /** The salt after what the first call asks for in the background has arrived. */
  const settled = async () => {
    salt()
    await turn()
    return salt()
  }
  return { state, salt, settled }
}

test('nodes have the same salt, and a new one each UTC day', async () => {
  const first = await openNode()
  const second = await openNode(first.state.stored)
  const today = first.salt()
  assert.equal(second.salt(), today)
  assert.match(today, /^[\da-f]{64}$/)
  for (const { state } of [first, second]) state.now += 24 * HOUR
  const tomorrow = await first.settled()
  assert.notEqual(tomorrow, today)
  assert.equal(await second.settled(), tomorrow)
})

test('without the store, a node keeps its salt past midnight, and asks once a second at most', async () => {
  const { state, salt, settled } = await openNode()
  const today = salt()
  state.now += 24 * HOUR
  state.isAway = true
  for (let at = 0; at < 10; at++) assert.equal(await settled(), today)
  assert.deepEqual(state.asked, ['2026-11-23', '2026-11-24'])
  state.now += 1000
  state.isAway = false
  assert.notEqual(await settled(), today)
})

test('a salt that the store has lost is stored again within a minute, or replaced by that of a node that started since', async () => {
  const first = await openNode()
  const today = first.salt()
  first.state.stored.clear()
  const second = await openNode(first.state.stored)
  const other = second.salt()
  assert.notEqual(other, today)
  first.state.now += MINUTE
  assert.equal(await first.settled(), other)
})
