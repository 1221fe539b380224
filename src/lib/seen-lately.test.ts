import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeenLately } from './seen-lately.ts'

test('a key is new once, and then known until others have come', () => {
  const seen = createSeenLately(1024)
  assert.deepEqual([seen('a'), seen('a'), seen('b'), seen('a'), seen('b')], [false, true, false, true, true])
  for (let at = 0; at < 100_000; at++) seen(`other ${at}`)
  assert.equal(seen('a'), false)
})

test('of as many keys as there are slots, most stay known, and hardly any new one is taken for known', () => {
  const seen = createSeenLately(4096)
  const keys = Array.from({ length: 2048 }, (_, at) => `c${at}`)
  assert.ok(keys.filter(seen).length < 5)
  assert.ok(keys.filter(seen).length > 1024)
})
