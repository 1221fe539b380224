import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStoreFaults, RECENT_SHARED_MS } from './store-faults.ts'

const sqliteError = (errcode: number) => Object.assign(new Error('of SQLite'), { errcode })

test('a fault of the store is reported for ten seconds after its last occurrence, and counted', () => {
  let now = 0
  const faults = createStoreFaults(() => now, { error: () => assert.fail() })
  assert.equal(faults.recent(), undefined)
  const [CONSTRAINT, BUSY, CORRUPT, IOERR_FSYNC] = [19, 5, 11, 1034]
  for (const error of [new TypeError('a bug'), sqliteError(CONSTRAINT)]) assert.equal(faults.note(error), undefined)
  assert.equal(faults.recent(), undefined)
  for (const code of [BUSY, IOERR_FSYNC])
    assert.match(faults.note(sqliteError(code)) ?? '', /may or may not have been saved/)
  assert.match(faults.recent() ?? '', /the store is unavailable/)
  now += 9_999
  assert.ok(faults.note(sqliteError(CORRUPT)))
  now += 1
  assert.match(faults.recent() ?? '', /damaged .* put a backup in its place by "quirl restore"$/)
  now += 9_999
  assert.equal(faults.recent(), undefined)
  assert.equal(faults.metrics[0]?.read(), 3)
})

test('a fault of a shared store is reported for a second and a half, so that a balancer soon sends requests again', () => {
  let now = 0
  const faults = createStoreFaults(() => now, { error: () => assert.fail() }, RECENT_SHARED_MS)
  faults.note(sqliteError(5))
  now = 1499
  assert.match(faults.recent() ?? '', /the store is unavailable/)
  now++
  assert.equal(faults.recent(), undefined)
})
