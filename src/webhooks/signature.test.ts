import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { newSecret, signedHeaders } from './signature.ts'

const body = '{"type":"link.changed","data":{"title":"Grüße"}}'

test('the library of Standard Webhooks verifies a signature, and refuses it for another body, ID, time or secret', () => {
  const secret = newSecret()
  const headers = signedHeaders({ id: 'msg_1', sentAt: Date.now(), body }, secret)
  assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body))
  const refused: [string, Record<string, string>, string][] = [
    [`${body} `, headers, secret],
    [body, { ...headers, 'webhook-id': 'msg_2' }, secret],
    [body, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) }, secret],
    [body, headers, newSecret()],
  ]
  for (const [sent, signed, key] of refused) assert.throws(() => new Webhook(key).verify(sent, signed))
})

test('a secret is whsec_ and 32 random bytes in base64', () => {
  const secrets = Array.from({ length: 100 }, newSecret)
  assert.equal(new Set(secrets).size, 100)
  for (const secret of secrets) {
    assert.match(secret, /^whsec_[A-Za-z\d+/]{43}=$/)
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
  }
})
