// A burst: phones that visit at the same moment, each with a connection of its own, as after an advertisement on television.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { connect as connectSecurely } from 'node:tls'
import { shareAuthority } from './support/acme.ts'
import { endOfFile } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import { start } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { create, details, type Created } from './support/server.ts'
import { askSecurely } from './support/tls.ts'
import { startTlsProgram } from './support/tls-program.ts'

/** More than one listening socket lets wait (64), and than are accepted in an iteration of the event loop. */
const PHONES = 2_000
/** A handshake takes a client and a server some milliseconds together. */
const SECURE_PHONES = 300
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Mobile/15E148 Safari/604.1'

/** The part of a link's details that counts visits. */
interface Counted {
  totals: { scans: number }
}

const TARGET = 'https://example.com/menu'

/** Opens all connections at once, sends a visit on each, and returns what each has received until its end. */
function burst(count: number, host: string, code: string, open: () => Socket): Promise<string[]> {
  const request = `GET /${code} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ${IPHONE}\r\nConnection: close\r\n\r\n`
  const visit = () =>
    new Promise<string>((resolve) => {
      let received = ''
      const socket = open()
      socket.on('data', (data: Buffer) => (received += data.toString('latin1')))
      socket.on('error', ({ message }) => (received ||= message)).on('close', () => resolve(received))
      socket.write(request)
    })
  return Promise.all(Array.from({ length: count }, visit))
}

/** How often each first line was received. */
function countLines(received: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const text of received) {
    const [line = ''] = text.split('\r\n')
    counts[line] = (counts[line] ?? 0) + 1
  }
  return counts
}

test('all phones of a burst are redirected, and all are counted', async (t) => {
  const service = await start(t)
  const link = await create(service, { target: TARGET })
  const received = await burst(PHONES, 'localhost', link.code, () => connect(service.port, '127.0.0.1'))
  assert.deepEqual(countLines(received), { 'HTTP/1.1 302 Found': PHONES })
  await poll(async () => (await details<Counted>(service, link)).totals.scans === PHONES)
})

const sharedAuthority = shareAuthority(endOfFile())

test('the same holds over TLS', async (t) => {
  if (!requireProgram(t, 'pebble', 'pebble') || !requireProgram(t, 'pebble-challtestsrv', 'pebble')) return
  const host = 'go.bakery.shop'
  const { httpPort, start: startAuthority } = await sharedAuthority()
  const authority = await startAuthority(t)
  const { httpsPort: port } = await startTlsProgram(t, { host, authority, httpPort })
  const ca = await authority.root()
  const ask = async <Body>(path: string, body?: unknown) => {
    const json = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    return JSON.parse((await askSecurely(port, host, path, ca, body === undefined ? {} : json)).body) as Body
  }
  const link = await ask<Created>('/api/links', { target: TARGET })
  const open = () => connectSecurely({ port, host: '127.0.0.1', servername: host, ca })
  const received = await burst(SECURE_PHONES, host, link.code, open)
  assert.deepEqual(countLines(received), { 'HTTP/1.1 302 Found': SECURE_PHONES })
  await poll(async () => (await ask<Counted>(`/api/manage/${link.token}`)).totals.scans === SECURE_PHONES)
})
