import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fastify } from 'fastify'
import { handleErrors } from '../../http/error-handler.ts'
import { Problem } from '../../http/problem.ts'
import { holdSlot, pageReader, pages } from './routes.ts'

/** What a fold in PostgreSQL may wait for before each of its statements. */
const MOST = 200

test('an export reads few rows at a time, because folds wait for each page between their statements', async () => {
  const scans = 1_000
  const limits: number[] = []
  const page = async (...[, , [at = 0], limit]: Parameters<Parameters<typeof pageReader>[0]['page']>) => {
    limits.push(limit)
    const until = Math.min(scans, at + limit)
    return { text: `${until - at}\n`, next: until < scans ? [until] : undefined }
  }
  const { signal } = new AbortController()
  const slot = { holder: { allocation: 'n', network: 'n', client: 'c', about: 1 }, signal, advance() {}, release() {} }
  let written = ''
  const read = pageReader({ page }, slot, { name: 'scans', linkId: 1 })
  for await (const text of pages('scans', read, await read([]))) written += text
  const [, ...counts] = written.trim().split('\n').map(Number)
  assert.equal(
    counts.reduce((sum, each) => sum + each, 0),
    scans,
  )
  assert.ok(
    limits.every((limit) => limit <= MOST),
    limits.join(),
  )
})

test('an export that gives way before its response has begun is answered 503, and frees its slot once', async (t) => {
  const app = fastify()
  t.after(() => app.close())
  handleErrors(app, {
    monotonic: () => 0,
    unavailability: () => undefined,
    pages: {},
    chargeNotFound: async () => undefined,
  })
  const place = new AbortController()
  let released = 0
  const holder = { allocation: 'n', network: 'n', client: 'c', about: 1 }
  const slot = { holder, signal: place.signal, advance() {}, release: () => void released++ }
  app.addHook('onSend', async () => {
    place.abort(new Problem('unavailable', 'all are taken', { headers: { 'retry-after': '30' } }))
    await setImmediate()
  })
  app.get('/', (_request, reply) => reply.send(holdSlot(Readable.from(['row']), slot)))
  const { statusCode, headers, json } = await app.inject('/')
  assert.deepEqual([statusCode, headers['retry-after'], json<Problem>().code, released], [503, '30', 'unavailable', 1])
})
