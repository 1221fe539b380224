import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../http/problem.ts'
import { createGuesses, type GuessQuotas } from './guesses.ts'

const HOUR_MS = 3_600_000

/** Tries of clients by name, with a clock of the test's own. */
function createTries(quotas: GuessQuotas) {
  const clock = { now: 0 }
  const charge = createGuesses(quotas, { of: (request) => request as unknown as string }, () => clock.now)
  const guess = (client: string, linkId = 1) => charge({ raw: client as never }, linkId)
  const isRefused = (client: string, linkId = 1) => {
    try {
      guess(client, linkId)()
      return false
    } catch (error) {
      assert.ok(error instanceof Problem && error.status === 429)
      return true
    }
  }
  return { clock, guess, isRefused }
}

test('a client has so many wrong tries in an hour, of all links together', () => {
  const { clock, guess, isRefused } = createTries({ perClient: 4, perLink: 100 })
  for (let linkId = 1; linkId <= 4; linkId++) guess('a', linkId)
  assert.equal(isRefused('a', 5), true)
  assert.equal(isRefused('b', 1), false)
  clock.now += HOUR_MS
  assert.equal(isRefused('a'), false)
})

test('right tries are refunded, so that only tries under way count', () => {
  const { guess, isRefused } = createTries({ perClient: 2, perLink: 2 })
  for (let again = 0; again < 10; again++) guess('a')()
  const refunds = [guess('a'), guess('a')]
  assert.equal(isRefused('a'), true)
  refunds[0]?.()
  assert.equal(isRefused('a'), false)
})

test('past the quota of a link each client has three tries left, for that link, until the hour is over', () => {
  const { clock, guess, isRefused } = createTries({ perClient: 20, perLink: 10 })
  for (let at = 0; at < 10; at++) guess(`attacker ${at % 2}`)
  assert.equal(isRefused('attacker 0'), true)
  assert.equal(isRefused('attacker 0', 2), false)
  for (let at = 0; at < 3; at++) guess('visitor')
  assert.equal(isRefused('visitor'), true)
  assert.equal(isRefused('another visitor'), false)
  clock.now += HOUR_MS
  assert.equal(isRefused('attacker 0'), false)
})

test('the refusal says when the next try may be made', () => {
  const { clock, guess } = createTries({ perClient: 1, perLink: 0 })
  guess('a')
  clock.now += HOUR_MS - 90_500
  assert.throws(
    () => guess('a'),
    (error) => error instanceof Problem && error.headers['retry-after'] === '91' && /in 2 minutes/.test(error.message),
  )
})

test('a quota of 0 is no limit', () => {
  const { guess } = createTries({ perClient: 0, perLink: 0 })
  for (let at = 0; at < 1000; at++) guess('a')
})
