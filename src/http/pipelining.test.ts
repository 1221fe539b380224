import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'
import { connectRaw } from '../../test/support/raw.ts'
import { holderOf, listen } from '../../test/support/http-server.ts'
import { poll } from '../../test/support/poll.ts'
import { asHolder } from '../lib/holder.ts'
import { createPipelining, type PipeliningBounds } from './pipelining.ts'
import { createRequestScheduler } from './request-scheduler.ts'
import { createPausedConnections } from './paused-connections.ts'

const bounds: PipeliningBounds = { maxInFlight: 8, maxUnsent: 64 * 1024, maxBytes: 96 * 1024 * 1024 }

/** What a small request that waits takes at most; one in flight takes twice that. */
const REQUEST_BYTES = 5 * 1024

const requestTo = (path: string | number) => `GET /${path} HTTP/1.1\r\nHost: quirl.example\r\n\r\n`
const requests = (count: number) => Array.from({ length: count }, (_, at) => requestTo(at)).join('')

/** Serves with the limits, and counts the connections that they close. */
async function serve(
  t: TestContext,
  handle: RequestListener,
  changed: Partial<PipeliningBounds> = {},
  holder = holderOf,
) {
  const closed = { count: 0 }
  const scheduler = createRequestScheduler(
    handle,
    () => 'visit',
    () => asHolder('10.0.0.1'),
  )
  const resume = createPausedConnections().add
  const needs = { holderOf: holder, onClosed: () => closed.count++, onWaiting() {}, resume }
  const { listen: listener, share } = createPipelining(scheduler, needs, { ...bounds, ...changed })
  const port = await listen(t, createServer(listener))
  return { port, closed, share }
}

test('ten thousand pipelined requests all get responses, in their order', async (t) => {
  const { port } = await serve(t, (request, response) => setImmediate(() => response.end(`<${request.url}>`)))
  const { socket, received } = connectRaw(t, port)
  socket.write(requests(10_000))
  await poll(() => received().includes('</9999>'))
  const answers = [...received().matchAll(/<\/(\d+)>/g)].map(([, at]) => Number(at))
  assert.deepEqual(
    answers,
    Array.from({ length: 10_000 }, (_, at) => at),
  )
})

test('a connection has at most eight requests in flight besides the first, and is not read from meanwhile', async (t) => {
  const seen: ServerResponse[] = []
  const { port } = await serve(t, (_request, response) => seen.push(response))
  const { socket, received } = connectRaw(t, port)
  socket.write(requests(40_000))
  await poll(() => seen.length === 9)
  const server = seen[0]?.req.socket
  await poll(() => server?.isPaused() === true)
  // Node resumes reading after each response.
  seen[0]?.end('one')
  seen[1]?.end('two')
  await poll(() => seen.length === 10 && received().includes('two'))
  await poll(() => server?.isPaused() === true)
  assert.equal(server?.bytesRead, 64 * 1024)
})

test('the body of a request that waited is read when the request starts', async (t) => {
  const { port } = await serve(t, async (request, response) => {
    let bytes = 0
    for await (const part of request) bytes += (part as Buffer).length
    response.end(`<${request.url} ${bytes}>`)
  })
  const { socket, received } = connectRaw(t, port)
  const body = 'x'.repeat(300_000)
  socket.write(requests(20) + `POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  socket.write(requestTo('last'))
  await poll(() => received().includes('</last 0>'))
  assert.match(received(), /<\/body 300000>/)
})

test('a client that does not read gets no more than the limit, and others are served meanwhile', async (t) => {
  let responses = 0
  const large = Buffer.alloc(1024 * 1024)
  const { port } = await serve(t, (request, response) => {
    if (request.url === '/small') return void response.end('small')
    responses++
    response.end(large)
  })
  const { socket } = connectRaw(t, port)
  socket.pause()
  socket.write(requests(1_000))
  for (let turn = 0; turn < 20; turn++) {
    const { text } = await fetch(`http://127.0.0.1:${port}/small`).then(async (r) => ({ text: await r.text() }))
    assert.equal(text, 'small')
  }
  // Some are in the kernel's buffers, and some in flight.
  assert.ok(responses < 40, `${responses} responses were sent`)
})

test('when too many requests wait, the connection whose client has not read for longest is closed, and no other', async (t) => {
  const seen: ServerResponse[] = []
  const hold: RequestListener = (request, response) => {
    if (request.url === '/held') seen.push(response)
    else response.end('<served>')
  }
  const { port, closed } = await serve(t, hold, { maxBytes: 100 * REQUEST_BYTES })
  const first = connectRaw(t, port)
  first.socket.write(requestTo('held').repeat(80))
  await poll(() => seen.length === 9)
  const second = connectRaw(t, port)
  second.socket.write(requestTo('held').repeat(80))
  await first.closed
  await poll(() => seen.length === 18)
  assert.equal(closed.count, 1)
  for (let at = 9; at < 89; at++) {
    await poll(() => seen[at] !== undefined)
    seen[at]?.end('<late>')
  }
  await poll(() => second.received().split('<late>').length === 81)
})

test('requests in flight behind a response that nobody reads are counted with their headers', async (t) => {
  const seen: ServerResponse[] = []
  const { port, closed, share } = await serve(t, (_request, response) => seen.push(response), { maxBytes: 500_000 })
  const large = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(15_000)}\r\n\r\n`
  const connections = []
  for (let at = 1; at <= 4; at++) {
    const connection = connectRaw(t, port)
    connections.push(connection)
    connection.socket.write(large.repeat(9))
    await poll(() => seen.length === 9 * at)
  }
  await connections[0]?.closed
  await connections[1]?.closed
  assert.equal(closed.count, 2)
  assert.equal(connections[3]?.socket.destroyed, false)
  // While memory is short, there is room for less.
  share.tighten()
  await connections[2]?.closed
  assert.equal(closed.count, 3)
})

test('when too many requests wait, connections of one network give way to each other, and that of another stays', async (t) => {
  let held = 0
  const hold: RequestListener = () => held++
  const networkOf = ({ url = '' }: IncomingMessage) => asHolder(url.slice(1))
  const { port, closed } = await serve(t, hold, { maxBytes: 200 * REQUEST_BYTES }, networkOf)
  const send = (path: string) => {
    const connection = connectRaw(t, port)
    connection.socket.write(requestTo(path).repeat(80))
    return connection
  }
  const honest = send('honest.1')
  await poll(() => held === 9)
  const attack = []
  for (let at = 0; at < 6; at++) {
    attack.push(send(`attacker.${at}`))
    await poll(() => held === 9 * (at + 2))
  }
  await Promise.all(attack.slice(0, -1).map((each) => each.closed))
  assert.equal(closed.count, 5)
  assert.equal(honest.socket.destroyed, false)
})

test('a pipeline of immediate responses does not block other connections', async (t) => {
  let served = 0
  const { port } = await serve(t, (request, response) => {
    if (request.url !== '/other') served++
    response.end(`<${request.url}>`)
  })
  const { socket, received } = connectRaw(t, port)
  socket.write(requests(20_000))
  await poll(() => served > 0)
  await (await fetch(`http://127.0.0.1:${port}/other`)).text()
  assert.ok(served < 20_000, 'the other connection waited for all of them')
  await poll(() => received().includes('</19999>'))
})
