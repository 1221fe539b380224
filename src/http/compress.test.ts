import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import Fastify, { type FastifyRequest } from 'fastify'
import { poll } from '../../test/support/poll.ts'
import { asHolder } from '../lib/holder.ts'
import { compressResponses } from './compress.ts'

test('a compressed body takes the memory of its bytes in the cache, and keeps no output buffer of zlib', async (t) => {
  const app = Fastify()
  t.after(() => app.close())
  compressResponses(app, () => asHolder('192.0.2.1'))
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

test('two bodies are compressed at a time, networks in turn, and what finds no place among those that wait is sent as it is', async (t) => {
  const app = Fastify()
  t.after(() => app.close())
  const begun: { body: string; end: () => void }[] = []
  const compress = (body: Buffer) =>
    new Promise<Buffer>((resolve) => begun.push({ body: body.toString(), end: () => resolve(Buffer.from('small')) }))
  const holderOf = ({ headers }: FastifyRequest) => asHolder(String(headers['x-from']))
  compressResponses(app, holderOf, { gzip: compress, br: compress })
  app.get('/:name', ({ params }, reply) =>
    reply.type('text/html').send((params as { name: string }).name.padEnd(2000, '.')),
  )
  const get = (name: string, from: string) =>
    app.inject({ path: `/${name}`, headers: { 'accept-encoding': 'gzip', 'x-from': from } })

  const many = Array.from({ length: 40 }, (_, at) => get(`many${at}`, `198.51.100.${at}`))
  const ended: string[] = []
  for (const each of many) void each.then(({ headers }) => ended.push(String(headers['content-encoding'])))
  await poll(() => ended.length === 22)
  assert.deepEqual(new Set(ended.splice(0)), new Set(['undefined']))
  assert.equal(begun.length, 2)

  const other = get('other', '203.0.113.1')
  await poll(() => ended.length === 1)
  for (let at = 0; at < 18; at++) {
    await poll(() => begun.length > at)
    begun[at]?.end()
  }
  // Of those that wait, one of the others is served before it.
  assert.ok(begun.findIndex(({ body }) => body.startsWith('other')) <= 3)
  assert.equal((await other).headers['content-encoding'], 'gzip')
  const sent = await Promise.all(many)
  assert.equal(sent.filter(({ headers }) => headers['content-encoding'] === 'gzip').length, 17)
  for (const { headers, body } of sent) {
    assert.equal(headers['vary'], 'accept-encoding')
    if (headers['content-encoding'] === undefined) assert.equal(body.length, 2000)
  }
})
