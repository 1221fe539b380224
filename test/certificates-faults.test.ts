// HTTPS of the program while its store is away or cannot be written.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { shareAuthority } from './support/acme.ts'
import { endOfFile } from './support/cleanup.ts'
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
