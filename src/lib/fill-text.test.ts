import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillText } from './fill-text.ts'

test('places are filled, also with text that looks like a place or a pattern; unknown ones stay', () => {
  assert.equal(fillText('{a} of {b}, {a}', { a: 1, b: '{a} $1' }), '1 of {a} $1, 1')
  assert.equal(fillText('{c}', { a: 1 }), '{c}')
})
