import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRecentKeys } from './recent-keys.ts'

test('a key is remembered until others take its slot', () => {
  const isRecent = createRecentKeys(1024)
  assert.deepEqual(
    [isRecent('a'), isRecent('a'), isRecent('b'), isRecent('a'), isRecent('b')],
    [false, true, false, true, true],
  )
  for (let at = 0; at < 100_000; at++) isRecent(`other ${at}`)
  assert.equal(isRecent('a'), false)
})

test('with half as many keys as slots, most are remembered, and hardly any new key collides', () => {
  const isRecent = createRecentKeys(4096)
  const keys = Array.from({ length: 2048 }, (_, at) => `c${at}`)
  assert.ok(keys.filter(isRecent).length < 5)
  assert.ok(keys.filter(isRecent).length > 1024)
})
