import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decode, encode, encodeGap } from './messages.ts'

test('keys are divided among payloads below the bound of PostgreSQL, and none is lost', () => {
  const keys = Array.from({ length: 2000 }, (_, at) => `key-${at}-ä"\\`)
  const payloads = encode('node', 'links', keys)
  for (const payload of payloads) assert.ok(Buffer.byteLength(payload) < 8000)
  assert.ok(payloads.length < 8, String(payloads.length))
  const decoded = payloads.flatMap((payload) => {
    const message = decode(payload)
    return message?.topic === 'links' ? message.keys : []
  })
  assert.deepEqual(decoded, keys)
})

test('no keys are no payload, and the longest name is one', () => {
  assert.deepEqual(encode('node', 'links', []), [])
  assert.equal(encode('node', 'domains', ['x'.repeat(253)]).length, 1)
})

test('a gap is a message, and what others send is none', () => {
  assert.deepEqual(decode(encodeGap('node')), { node: 'node', topic: 'gap' })
  for (const text of ['', 'x', '{}', '[]', '["node"]', '[1,2]', '["node","links",1]', 'null']) {
    assert.equal(decode(text), undefined, text)
  }
})
