import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { compressResponses } from './compress.ts'

test('a compressed body takes the memory of its bytes in the cache, and keeps no output buffer of zlib', async (t) => {
  const app = Fastify()
  t.after(() => app.close())
  compressResponses(app)
  const sent: Buffer[] = []
  app.addHook('onSend', async (_request, _reply, payload) => void sent.push(payload as Buffer))
  const text = 'a page that compresses well '.repeat(100)
  app.get('/', (_request, reply) => reply.type('text/html').send(text))
  for (const encoding of ['gzip', 'br']) {
    const { rawPayload } = await app.inject({ path: '/', headers: { 'accept-encoding': encoding } })
    const [compressed] = sent.splice(0)
    assert.ok(compressed)
    assert.equal(compressed.buffer.byteLength, compressed.length)
    assert.deepEqual(rawPayload, compressed)
    if (encoding === 'gzip') assert.equal(gunzipSync(compressed).toString(), text)
  }
})
