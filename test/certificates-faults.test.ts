// HTTPS of the program while its store is away or cannot be written, and when it has just been started.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { shareAuthority } from './support/acme.ts'
import { endOfFile, temporaryFolder } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { poll } from './support/poll.ts'
import { startPostgres } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { smallDisk } from './support/small-disk.ts'
import { startProxy } from './support/tcp-proxy.ts'
import { askSecurely, seeHandshake } from './support/tls.ts'
import { sessionOf, startTlsProgram } from './support/tls-program.ts'
import { wallClock } from './support/wall-clock.ts'

const HOST = 'go.bakery.shop'
const SECOND = 1000
const HALF_DAY = 12 * 60 * 60 * SECOND
const SMALL_DISK_BYTES = 128 << 20
/** More than may wait for an authority at a time. */
const CROWD = 400
/** A network on which a look-up takes longer than it takes a crowd to connect. */
const SLOW_MS = 50

const sharedAuthority = shareAuthority(endOfFile())

const hasPrograms = (t: TestContext) =>
  requireProgram(t, 'pebble', 'pebble') && requireProgram(t, 'pebble-challtestsrv', 'pebble')

/** The moment before the next noon or midnight (UTC), and one after each of those that follow. */
function overNoonAndMidnight(): { before: string; after: string[] } {
  const next = Math.ceil(Date.now() / HALF_DAY) * HALF_DAY
  const iso = (ms: number) => new Date(ms).toISOString()
  return { before: iso(next - 60 * SECOND), after: [0, 1, 2, 3].map((at) => iso(next + at * HALF_DAY + 5 * SECOND)) }
}

test('while PostgreSQL is away, handshakes go on over noon and midnight, and tickets hold on other nodes once it is back', async (t) => {
  if (!hasPrograms(t) || !requireProgram(t, 'initdb', 'postgresql')) return
  const times = overNoonAndMidnight()
  const clock = wallClock(t, times.before)
  if (clock === undefined) return
  const { httpPort, start } = await sharedAuthority()
  const [authority, server] = [await start(t), await startPostgres(t)]
  const proxy = await startProxy(t, server.socket)
  const url = (port: string) => ({ ...clock.env, DATABASE_URL: `postgres://${server.user}@127.0.0.1:${port}/postgres` })
  const behind = await startTlsProgram(t, { host: HOST, authority, httpPort, env: url(String(proxy.port)) })
  const root = await authority.root()
  const healthy = async ({ httpsPort }: { httpsPort: number }) =>
    assert.equal((await askSecurely(httpsPort, HOST, '/healthz', root)).status, 200)
  await healthy(behind)
  const direct = await startProxy(t, server.socket)
  const other = await startTlsProgram(t, { host: HOST, authority, httpPort: 0, env: url(String(direct.port)) })
  await healthy(other)

  proxy.cut()
  for (const time of times.after) {
    clock.set(time)
    for (let at = 0; at < 3; at++) await healthy(behind)
  }
  await healthy(other)
  const own = await sessionOf(behind.httpsPort, HOST, root)
  assert.equal((await seeHandshake(behind.httpsPort, HOST, root, { session: own })).isResumed, true, 'a key in memory')
  await poll(
    () => /the key of session tickets cannot be read or stored/.test(behind.running.output()),
    behind.running.output,
  )
  proxy.restore()
  await poll(async () => {
    const session = await sessionOf(behind.httpsPort, HOST, root)
    return (await seeHandshake(other.httpsPort, HOST, root, { session })).isResumed
  })
})

test('while the disk is full, handshakes go on over noon and midnight', async (t) => {
  if (!hasPrograms(t)) return
  const times = overNoonAndMidnight()
  const [clock, disk] = [wallClock(t, times.before), smallDisk(t, SMALL_DISK_BYTES)]
  if (clock === undefined || disk === undefined) return
  const { httpPort, start } = await sharedAuthority()
  const authority = await start(t)
  const preloaded = [clock.env, disk.env].flatMap(
    ({ LD_PRELOAD = [] }: { LD_PRELOAD?: string | string[] }) => LD_PRELOAD,
  )
  const env = { ...clock.env, ...disk.env, LD_PRELOAD: preloaded.join(':') }
  const service = await startTlsProgram(t, { host: HOST, authority, httpPort, env, dataDir: disk.folder })
  const root = await authority.root()
  const healthy = async () => assert.equal((await askSecurely(service.httpsPort, HOST, '/healthz', root)).status, 200)
  await healthy()
  disk.fill()
  for (const time of times.after) {
    clock.set(time)
    await healthy()
    const session = await sessionOf(service.httpsPort, HOST, root)
    assert.equal((await seeHandshake(service.httpsPort, HOST, root, { session })).isResumed, true)
  }
})

/** How many of a crowd shake hands that have connected before, and send their first message at once. */
async function crowd(port: number, root: string): Promise<number> {
  const sockets = Array.from({ length: CROWD }, () => connect(port, '127.0.0.1').on('error', () => {}))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const all = await Promise.allSettled(sockets.map((socket) => seeHandshake(port, HOST, root, { socket })))
  return all.filter(({ status }) => status === 'fulfilled').length
}

for (const store of ['SQLite', 'a slow PostgreSQL'] as const) {
  test(`with ${store}, each of ${CROWD} connections at once shakes hands after a restart and over noon and midnight`, async (t) => {
    if (!hasPrograms(t) || (store !== 'SQLite' && !requireProgram(t, 'initdb', 'postgresql'))) return
    const times = overNoonAndMidnight()
    const clock = wallClock(t, times.before)
    if (clock === undefined) return
    const { httpPort, start } = await sharedAuthority()
    const authority = await start(t)
    const server = store === 'SQLite' ? undefined : await startPostgres(t)
    const proxy = server && (await startProxy(t, server.socket))
    const database = proxy && { DATABASE_URL: `postgres://${server?.user}@127.0.0.1:${proxy.port}/postgres` }
    const env = { ...clock.env, ...database }
    const program = { host: HOST, authority, httpPort, env, dataDir: temporaryFolder(t) }
    const first = await startTlsProgram(t, program)
    const root = await authority.root()
    assert.equal((await askSecurely(first.httpsPort, HOST, '/healthz', root)).status, 200)
    await first.running.stop()
    const { httpsPort } = await startTlsProgram(t, program)
    proxy?.delay(SLOW_MS)
    assert.equal(await crowd(httpsPort, root), CROWD)
    for (const time of times.after) {
      clock.set(time)
      assert.equal(await crowd(httpsPort, root), CROWD, time)
    }
    assert.deepEqual(authority.orders, [HOST])
  })
}

test('a clock that is years behind is named as the cause, and a minute after it is set there is a certificate', async (t) => {
  if (!hasPrograms(t)) return
  const now = Date.now()
  const clock = wallClock(t, new Date(now - 3 * 365 * 2 * HALF_DAY).toISOString())
  if (clock === undefined) return
  const { httpPort, start } = await sharedAuthority()
  const authority = await start(t)
  const service = await startTlsProgram(t, { host: HOST, authority, httpPort, env: clock.env })
  await poll(() => /could not be issued/.test(service.running.output()), service.running.output)
  const cause = /unreachable: localhost:\d+: certificate is not yet valid/
  assert.match(service.running.output(), cause)
  assert.match((await command(service.dataDir, 'certs')).stdout, cause)
  assert.match((await command(service.dataDir, 'doctor')).stdout, cause)
  clock.set(new Date(now + 60 * SECOND).toISOString())
  assert.equal((await askSecurely(service.httpsPort, HOST, '/healthz', await authority.root())).status, 200)
})
