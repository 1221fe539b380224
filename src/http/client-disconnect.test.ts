import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { listen } from '../../test/support/http-server.ts'
import { disconnectSignal, whileConnected } from './client-disconnect.ts'

test('aborts when a client disconnects before the response, and not after it', async (t) => {
  const requests: { response: ServerResponse; signal: AbortSignal }[] = []
  const server = createServer((_request, response) =>
    requests.push({ response, signal: disconnectSignal({ raw: response }) }),
  )
  const url = `http://127.0.0.1:${await listen(t, server)}/`

  const client = new AbortController()
  const impatient = fetch(url, { signal: client.signal }).catch((error: unknown) => error)
  await once(server, 'request')
  client.abort()
  assert.ok((await impatient) instanceof Error)
  const [abandoned] = requests
  assert.ok(abandoned)
  if (!abandoned.signal.aborted) await once(abandoned.signal, 'abort')

  const patient = fetch(url)
  await once(server, 'request')
  const served = requests[1]
  assert.ok(served)
  served.response.end('done')
  await (await patient).text()
  served.response.destroy()
  if (!served.response.closed) await once(served.response, 'close')
  assert.equal(served.signal.aborted, false)
})

test('a signal that is asked for when the client has disconnected is aborted', async (t) => {
  const server = createServer()
  const url = `http://127.0.0.1:${await listen(t, server)}/`
  const client = new AbortController()
  const impatient = fetch(url, { signal: client.signal }).catch((error: unknown) => error)
  const [, raw] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  client.abort()
  await impatient
  if (!raw.closed) await once(raw, 'close')
  assert.equal(disconnectSignal({ raw }).aborted, true)
})

test('work is given up when its client disconnects, and leaves no listener on a connection that goes on', async (t) => {
  const server = createServer()
  const url = `http://127.0.0.1:${await listen(t, server)}/`

  const client = new AbortController()
  const impatient = fetch(url, { signal: client.signal }).catch((error: unknown) => error)
  const [raw] = (await once(server, 'request')) as [IncomingMessage]
  const work = whileConnected({ raw }, (signal) => once(signal, 'abort').then(() => signal.throwIfAborted()))
  client.abort()
  await impatient
  await assert.rejects(work, { code: 'unavailable' })
  await assert.rejects(
    whileConnected({ raw }, async (signal) => signal.throwIfAborted()),
    { code: 'unavailable' },
  )

  const patient = fetch(url)
  const [served, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  const listeners = served.socket.listenerCount('close')
  assert.equal(await whileConnected({ raw: served }, async (signal) => signal.aborted), false)
  assert.equal(served.socket.listenerCount('close'), listeners)
  response.end('done')
  await (await patient).text()
})
