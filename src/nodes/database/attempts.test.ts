import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc, runs } from '../../../test/support/fast-check.ts'
import { createAttempts } from './attempts.ts'

const refused = new Error('refused')

test('as many attempts as are wanted run at once, until one fails', () => {
  const attempts = createAttempts(() => 0)
  const ends = [attempts.begin(), attempts.begin(), attempts.begin()]
  ends[0]?.(null)
  ends[1]?.(refused)
  assert.throws(() => attempts.begin(), refused)
  ends[2]?.(null)
  attempts.begin()
})

test('after a failure there is one attempt at a time, after at most a second', () => {
  let now = 0
  const attempts = createAttempts(() => now)
  attempts.begin()(refused)
  for (let again = 0; again < 20; again++) {
    now += 1000
    const end = attempts.begin()
    assert.throws(() => attempts.begin(), refused)
    now += 10_000
    assert.throws(() => attempts.begin(), refused)
    end(refused)
    assert.throws(() => attempts.begin(), refused)
  }
  now += 1000
  attempts.begin()(null)
  for (let more = 0; more < 10; more++) attempts.begin()
})

test('whenever attempts are wanted, and however they end, a server that refuses sees few a second', () => {
  const step = fc.record({ ms: fc.nat(200), wanted: fc.nat(20), lasting: fc.nat(3) })
  const property = fc.property(fc.array(step, { minLength: 1, maxLength: 200 }), (steps) => {
    let now = 0
    let begun = 0
    const attempts = createAttempts(() => now)
    attempts.begin()(refused)
    const running: (() => void)[] = []
    for (const { ms, wanted, lasting } of steps) {
      now += ms
      for (let at = 0; at < wanted; at++) {
        try {
          const end = attempts.begin()
          begun++
          running.push(() => end(refused))
        } catch {}
      }
      if (running.length > lasting) for (const end of running.splice(0)) end()
    }
    // Pauses of at least 50, 100, 200 and 400 ms, and then 500 ms each.
    assert.ok(begun <= 4 + now / 500, `${begun} in ${now} ms`)
    for (const end of running.splice(0)) end()
    now += 1000
    attempts.begin()(null)
    attempts.begin()
    attempts.begin()
  })
  fc.assert(property, { numRuns: runs(200) })
})
