import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../http/problem.ts'
import { createMemoryCounters } from './memory-counter.ts'
import { createGuesses, type GuessQuotas } from './guesses.ts'

const HOUR_MS = 3_600_000

/** Tries of clients by name, with a clock of the test's own. */
function createTries(quotas: GuessQuotas) {
  const clock = { now: 0 }
  const monotonic = () => clock.now
  const client = { of: (request: unknown) => request as string }
  const charge = createGuesses(quotas, createMemoryCounters(monotonic), client, monotonic)
  const guess = (client: string, linkId = 1) => charge({ raw: client as never }, linkId)
  const isRefused = async (client: string, linkId = 1) => {
    try {
      const refund = await guess(client, linkId)
      await refund()
      return false
    } catch (error) {
      assert.ok(error instanceof Problem && error.status === 429)
      return true
    }
  }
  return { clock, guess, isRefused }
}

test('a client has so many wrong tries in an hour, of all links together', async () => {
  const { clock, guess, isRefused } = createTries({ perClient: 4, perLink: 100 })
  for (let linkId = 1; linkId <= 4; linkId++) await guess('a', linkId)
  assert.equal(await isRefused('a', 5), true)
  assert.equal(await isRefused('b', 1), false)
  clock.now += HOUR_MS
  assert.equal(await isRefused('a'), false)
})

test('right tries are refunded, so that only tries under way count', async () => {
  const { guess, isRefused } = createTries({ perClient: 2, perLink: 2 })
  for (let again = 0; again < 10; again++) await (await guess('a'))()
  const refunds = [await guess('a'), await guess('a')]
  assert.equal(await isRefused('a'), true)
  await refunds[0]?.()
  assert.equal(await isRefused('a'), false)
})

test('past the quota of a link each client has three tries left, for that link, until the hour is over', async () => {
  const { clock, guess, isRefused } = createTries({ perClient: 20, perLink: 10 })
  for (let at = 0; at < 10; at++) await guess(`attacker ${at % 2}`)
  assert.equal(await isRefused('attacker 0'), true)
  assert.equal(await isRefused('attacker 0', 2), false)
  for (let at = 0; at < 3; at++) await guess('visitor')
  assert.equal(await isRefused('visitor'), true)
  assert.equal(await isRefused('another visitor'), false)
  clock.now += HOUR_MS
  assert.equal(await isRefused('attacker 0'), false)
})

test('the refusal says when the next try may be made', async () => {
  const { clock, guess } = createTries({ perClient: 1, perLink: 0 })
  await guess('a')
  clock.now += HOUR_MS - 90_500
  await assert.rejects(
    guess('a'),
    (error) => error instanceof Problem && error.headers['retry-after'] === '91' && /in 2 minutes/.test(error.message),
  )
})

test('a quota of 0 is no limit', async () => {
  const { guess } = createTries({ perClient: 0, perLink: 0 })
  for (let at = 0; at < 1000; at++) await guess('a')
})
