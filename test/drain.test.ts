// What the program answers between SIGTERM and its end.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { shareAuthority } from './support/acme.ts'
import { endOfFile, undoLater } from './support/cleanup.ts'
import { createDatabase } from './support/drivers.ts'
import { poll } from './support/poll.ts'
import { urlOf } from './support/postgres.ts'
import { exitOf, patientStop, start, stopsWithin, type Service } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { connectRaw } from './support/raw.ts'
import { parseResponse } from './support/raw-request.ts'
import { create, post, visit, type Created } from './support/server.ts'
import { shakeHands } from './support/tls.ts'
import { startTlsProgram } from './support/tls-program.ts'
import { UNLIMITED } from './support/workload.ts'

const TARGET = 'https://example.com/'
/** Connections that send a creation each, besides those that send several. */
const CONNECTIONS = 16
const PIPELINED = 8

type Connection = ReturnType<typeof readFrom>

/** The responses that have arrived on a connection. Each has its length. */
function readFrom(socket: Socket) {
  let received = ''
  socket.setEncoding('latin1').on('data', (part: string) => (received += part))
  const whole = (): string[] => {
    const responses: string[] = []
    for (let rest = received; ;) {
      const head = rest.indexOf('\r\n\r\n') + 4
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(rest.slice(0, head))?.[1] ?? 0)
      if (head < 4 || rest.length < head + length) return responses
      responses.push(rest.slice(0, head + length))
      rest = rest.slice(head + length)
    }
  }
  return {
    socket,
    received: () => received,
    /** Waits until so many responses have arrived, and returns the last of them. */
    async response(count: number): Promise<Response> {
      await poll(
        () => whole().length >= count || socket.closed,
        () => `response ${count} of ${received}`,
      )
      const text = whole()[count - 1]
      assert.ok(text !== undefined, `closed before response ${count}: ${received}`)
      return parseResponse(text)
    },
  }
}

const connectTo = (t: TestContext, { port }: Pick<Service, 'port'>) => readFrom(connectRaw(t, port).socket)

function requestOf(method: string, path: string, body?: string, headers = ''): string {
  const length = body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}${length}\r\n${body ?? ''}`
}

const creation = (headers = '') => requestOf('POST', '/api/links', JSON.stringify({ target: TARGET }), headers)

/** Suspends the program while its clients write, so that all of it has been written when the signal comes. */
async function writtenBefore(signal: NodeJS.Signals, service: Service, write: () => Promise<void>): Promise<void> {
  service.process.kill('SIGSTOP')
  await write()
  service.process.kill(signal)
  service.process.kill('SIGCONT')
}

/** Resolves when the kernel has what a connection sends. */
const written = ({ socket }: Connection, text: string) =>
  new Promise<void>((resolve, reject) => socket.write(text, (error) => (error ? reject(error) : resolve())))

async function connected(connections: Connection[]): Promise<void> {
  for (const { socket } of connections) if (socket.connecting) await once(socket, 'connect')
}

/** A request that goes on while the service stops: the service has begun with it. */
async function beginUpload(connection: Connection): Promise<{ rest: string; before: number }> {
  const body = JSON.stringify({ target: TARGET })
  const whole = requestOf('POST', '/api/links', body, 'Expect: 100-continue\r\n')
  const at = whole.length - 5
  connection.socket.write(whole.slice(0, at))
  await poll(() => connection.received().includes('100 Continue'))
  // The interim response counts as one without a body.
  return { before: 1, rest: whole.slice(at) }
}

async function assertRefused(response: Response): Promise<void> {
  assert.equal(response.status, 503)
  assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/)
  assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
  assert.equal(response.headers.get('connection'), 'close')
  const { code, detail } = (await response.json()) as { code: string; detail: string }
  assert.deepEqual([code, detail], ['unavailable', 'the service is stopping'])
}

for (const store of ['sqlite', 'postgresql'] as const) {
  test(`creations and visits that were written before SIGTERM are answered and stored (${store})`, async (t) => {
    if (store === 'postgresql' && !requireProgram(t, 'initdb', 'postgresql')) return
    const env: Record<string, string> = store === 'sqlite' ? {} : { DATABASE_URL: urlOf(await createDatabase()) }
    const service = await start(t, undefined, UNLIMITED, { ...patientStop, env: { ...patientStop.env, ...env } })
    const link = await create(service, { target: TARGET })
    const page = await create(service, { kind: 'page', headline: 'Hello' })
    const kept = Array.from({ length: CONNECTIONS }, () => connectTo(t, service))
    for (const { socket } of kept) socket.write(requestOf('GET', '/healthz'))
    for (const each of kept) await each.response(1)
    const fresh: Connection[] = []
    await writtenBefore('SIGTERM', service, async () => {
      for (const each of kept) await written(each, creation())
      for (let at = 0; at < CONNECTIONS; at++) fresh.push(connectTo(t, service))
      await connected(fresh)
      const [several, visits, ...others] = fresh as [Connection, Connection, ...Connection[]]
      await written(several, creation().repeat(PIPELINED))
      await written(visits, requestOf('GET', `/${link.code}`).repeat(2) + requestOf('GET', `/${page.code}`))
      for (const each of others) await written(each, creation())
    })
    const [several, visits, ...others] = fresh as [Connection, Connection, ...Connection[]]
    const responses = [
      ...(await Promise.all(kept.map((each) => each.response(2)))),
      ...(await Promise.all(others.map((each) => each.response(1)))),
      ...(await Promise.all(Array.from({ length: PIPELINED }, (_, at) => several.response(at + 1)))),
    ]
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [201])
    const visited = await Promise.all([1, 2, 3].map((at) => visits.response(at)))
    assert.deepEqual(
      visited.map(({ status }) => status),
      [302, 302, 200],
    )
    assert.deepEqual(await exitOf(service), { code: 0, signal: null })

    const again = await start(t, service.dataDir, UNLIMITED, { env })
    for (const response of responses) {
      const { code } = (await response.json()) as Created
      assert.equal((await visit(`${again.url}/${code}`)).status, 302)
    }
    const details = async () => (await (await fetch(`${again.url}/api/manage/${link.token}`)).json()) as object
    await poll(async () => JSON.stringify(await details()).includes('"scans":2'))
  })
}

test('while what had begun is finished, health is 200, visits are answered, and everything else is refused', async (t) => {
  const service = await start(t, undefined, UNLIMITED, patientStop)
  const link = await create(service, { target: TARGET })
  const page = await create(service, { kind: 'page', headline: 'Hello' })
  const [slow, part, kept, idle] = Array.from({ length: 4 }, () => connectTo(t, service)) as [
    Connection,
    Connection,
    Connection,
    Connection,
  ]
  const { before, rest } = await beginUpload(slow)
  for (const { socket } of [kept, idle]) socket.write(requestOf('GET', '/healthz'))
  for (const each of [kept, idle]) await each.response(1)
  // The first byte of a request.
  await connected([part])
  await writtenBefore('SIGTERM', service, () => written(part, 'P'))
  await poll(async () => (await fetch(`${service.url}/readyz`)).status === 503)

  for (const count of [2, 3]) {
    kept.socket.write(requestOf('GET', '/healthz'))
    const response = await kept.response(count)
    assert.deepEqual([response.status, response.headers.get('connection')], [200, 'keep-alive'])
  }
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  for (const [code, status] of [
    [link.code, 302],
    [page.code, 200],
  ] as const) {
    const visited = connectTo(t, service)
    visited.socket.write(requestOf('GET', `/${code}`))
    const response = await visited.response(1)
    assert.deepEqual([response.status, response.headers.get('connection')], [status, 'close'])
  }
  idle.socket.write(creation())
  await assertRefused(await idle.response(2))
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', `/api/manage/${link.token}`],
    ['GET', `/api/manage/${link.token}/stream`],
    ['DELETE', `/api/manage/${link.token}`],
    ['GET', '/api/qr?data=x'],
  ] as const) {
    const late = connectTo(t, service)
    late.socket.write(requestOf(method, path))
    await assertRefused(await late.response(1))
  }
  const home = await fetch(service.url, { headers: { accept: 'text/html' } })
  assert.deepEqual([home.status, home.headers.get('connection')], [503, 'close'])
  assert.match(home.headers.get('content-type') ?? '', /^text\/html/)
  // More than the kernel takes at once.
  const large = await post(`${service.url}/api/bulk`, { rows: [{ target: TARGET, title: 'x'.repeat(400_000) }] })
  assert.equal(large.status, 503)

  part.socket.write(creation().slice(1))
  const completed = await part.response(1)
  assert.deepEqual([completed.status, completed.headers.get('connection')], [201, 'close'])
  // Its end, and another request behind it.
  slow.socket.write(rest + creation())
  assert.equal((await slow.response(before + 1)).status, 201)
  await assertRefused(await slow.response(before + 2))
  assert.deepEqual(await exitOf(service), { code: 0, signal: null })
  assert.doesNotMatch(service.output(), /"level":[56]0/)
})

test('streams end cleanly at SIGTERM, also those that were asked for before it', async (t) => {
  const service = await start(t, undefined, UNLIMITED, patientStop)
  const link = await create(service, { target: TARGET })
  const asking = requestOf('GET', `/api/manage/${link.token}/stream`)
  const [open, asked] = [connectTo(t, service), connectTo(t, service)]
  open.socket.write(asking)
  await poll(() => open.received().includes('event: totals'))
  await connected([asked])
  await writtenBefore('SIGTERM', service, () => written(asked, asking))
  assert.deepEqual(await exitOf(service), { code: 0, signal: null })
  for (const { received } of [open, asked]) {
    assert.match(received(), /^HTTP\/1\.1 200 /)
    // One that has not begun when it ends has a length of 0, the other ends with the last of its chunks.
    assert.match(received(), /\r\n0\r\n\r\n$|content-length: 0\r\n\r\n$/i)
  }
})

test('a request that does not arrive in time is told so, and its connection is closed', async (t) => {
  const service = await start(t, undefined, UNLIMITED, stopsWithin({ drainMs: 300, stopMs: 60_000 }))
  const [upload, part] = [connectTo(t, service), connectTo(t, service)] as const
  const { before } = await beginUpload(upload)
  await connected([part])
  await writtenBefore('SIGTERM', service, () => written(part, 'GET /hea'))
  for (const response of [await upload.response(before + 1), await part.response(1)]) {
    assert.deepEqual(
      [response.status, response.headers.get('connection'), response.headers.get('retry-after')],
      [503, 'close', '5'],
    )
    assert.match(await response.text(), /"detail":"the service stops, and the request has not arrived in time"/)
  }
  assert.deepEqual(await exitOf(service), { code: 0, signal: null })
})

const sharedAuthority = shareAuthority(endOfFile())

test('the same holds over TLS', async (t) => {
  if (!requireProgram(t, 'pebble', 'pebble') || !requireProgram(t, 'pebble-challtestsrv', 'pebble')) return
  const host = 'go.bakery.shop'
  const { httpPort, start: startAuthority } = await sharedAuthority()
  const authority = await startAuthority(t)
  const { running, httpsPort } = await startTlsProgram(t, { host, authority, httpPort })
  const root = await authority.root()
  const connectSecurely = async () => {
    const socket = await shakeHands(httpsPort, host, root)
    undoLater(t, () => void socket.destroy())
    return readFrom(socket)
  }
  const asked = (text: string) => text.replace('Host: localhost', `Host: ${host}`)
  const [slow, kept] = [await connectSecurely(), await connectSecurely()]
  kept.socket.write(asked(creation()))
  const { code } = (await (await kept.response(1)).json()) as Created
  const body = JSON.stringify({ target: TARGET })
  const whole = asked(requestOf('POST', '/api/links', body, 'Expect: 100-continue\r\n'))
  slow.socket.write(whole.slice(0, -5))
  await poll(() => slow.received().includes('100 Continue'))
  running.process.kill('SIGTERM')
  for (let count = 2; ; count++) {
    kept.socket.write(asked(requestOf('GET', '/readyz')))
    if ((await kept.response(count)).status === 503) break
  }
  const fresh = async (text: string) => {
    const connection = await connectSecurely()
    connection.socket.write(asked(text))
    return connection.response(1)
  }
  assert.equal((await fresh(requestOf('GET', '/healthz'))).status, 200)
  assert.equal((await fresh(requestOf('GET', `/${code}`))).status, 302)
  await assertRefused(await fresh(creation()))
  slow.socket.write(whole.slice(-5))
  assert.equal((await slow.response(2)).status, 201)
  await poll(() => running.process.exitCode !== null)
  assert.equal(running.process.exitCode, 0)
})
