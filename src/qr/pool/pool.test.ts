import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadsFor } from './pool.ts'

const GIB = 1024 ** 3

test('two threads draw where there are two cores and a gibibyte of memory, and one with less of either', () => {
  assert.equal(threadsFor(GIB, 2), 2)
  assert.equal(threadsFor(24 * GIB, 64), 2)
  assert.equal(threadsFor(24 * GIB, 1), 1)
  assert.equal(threadsFor(GIB / 2, 4), 1)
})
