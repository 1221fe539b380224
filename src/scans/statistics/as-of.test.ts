import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asOf, asOfResponse } from './as-of.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const ago = (ms: number) => new Date(NOW - ms).toISOString()

test('a fold of another node that is further behind than promised says until when scans are included', () => {
  assert.deepEqual(asOf(NOW, { behindMs: 0 }), {})
  assert.deepEqual(asOf(NOW, { behindMs: 3000 }), {})
  assert.deepEqual(asOf(NOW, { behindMs: 3001 }), { as_of: ago(3001) })
})

test('of what this node and another lack, the earlier time counts', () => {
  assert.deepEqual(asOfResponse(undefined, undefined), {})
  assert.deepEqual(asOfResponse(NOW, undefined), { as_of: ago(0) })
  assert.deepEqual(asOfResponse(undefined, ago(9000)), { as_of: ago(9000) })
  assert.deepEqual(asOfResponse(NOW, ago(9000)), { as_of: ago(9000) })
  assert.deepEqual(asOfResponse(NOW - 10_000, ago(9000)), { as_of: ago(10_000) })
})
