import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRetryAfter } from './retry-after.ts'

const NOW = Date.UTC(1994, 10, 6, 8, 49, 37)
const MINUTE = 60_000

test('seconds and each form of a date are read, and whatever else is not', () => {
  for (const [text, expected] of [
    ['120', 2 * MINUTE],
    ['0', 0],
    [' 7 ', 7000],
    ['Sun, 06 Nov 1994 08:50:37 GMT', MINUTE],
    ['Sunday, 06-Nov-94 08:50:37 GMT', MINUTE],
    ['Sun Nov  6 08:50:37 1994', MINUTE],
    ['Sun, 06 Nov 1994 08:48:37 GMT', 0],
    ['1000000000000000', 1e18],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['5s', undefined],
    ['2026-11-21', undefined],
    ['soon', undefined],
  ] as const) {
    assert.equal(parseRetryAfter(text, NOW), expected, text ?? String(text))
  }
})
