import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base64ByCharacters, fromBase64, joinBytes, latin1, toBase64, viewOf } from './bytes.ts'

test("base64 is the same as Node's in both directions, also for many bytes", () => {
  for (const length of [0, 1, 2, 3, 4, 8191, 8192, 8193, 100_000]) {
    // Every byte after every other, in a row that does not repeat soon.
    const bytes = Buffer.from(Array.from({ length }, (_, at) => (at * 167 + (at >> 8)) & 255))
    const text = toBase64(bytes)
    assert.equal(text, bytes.toString('base64'))
    assert.equal(base64ByCharacters(bytes), text)
    assert.deepEqual(fromBase64(text), new Uint8Array(bytes))
    assert.deepEqual(fromBase64(text.replace(/=+$/, '')), new Uint8Array(bytes))
  }
})

test('invalid base64 decodes to undefined', () => {
  for (const text of ['A', 'AAAAA', 'AA=', '====', 'AA*A']) assert.equal(fromBase64(text), undefined, text)
})

test('joined bytes, and views of a part of them, read as they were written', () => {
  const joined = joinBytes([Uint8Array.of(1, 2), new Uint8Array(), Uint8Array.of(3, 0x51, 0x52)])
  assert.deepEqual([...joined], [1, 2, 3, 0x51, 0x52])
  assert.equal(viewOf(joined.subarray(1)).getUint16(0), 0x0203)
  assert.equal(latin1(joined.subarray(3)), 'QR')
  assert.throws(() => viewOf(joined.subarray(0, 3)).getUint32(0), RangeError)
})
