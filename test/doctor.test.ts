import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, request } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createOperatorClient } from '../src/operator/client.ts'
import { socketPath } from '../src/operator/socket.ts'
import { noteBackup } from '../src/backup/last-backup.ts'
import { settings, valuesOf } from '../src/config/config.ts'
import { readSettings } from '../src/config/sources.ts'
import { lockFolder } from '../src/db/lock.ts'
import { examine, type DoctorOptions } from '../src/doctor/doctor.ts'
import { runChecks, type Finding } from '../src/doctor/finding.ts'
import { serviceChecks } from '../src/doctor/service-checks.ts'
import { checkedSettings } from '../src/doctor/settings.ts'
import { servers } from '../src/nodes/doctor/servers.ts'
import { command } from './support/cli.ts'
import { temporaryFolder, undoLater, type Ending } from './support/cleanup.ts'
import { createDatabase } from './support/drivers.ts'
import { ask } from './support/http.ts'
import { freePort } from './support/ports.ts'
import { urlOf } from './support/postgres.ts'
import { start } from './support/program.ts'
import { requireProgram, skipUnlessCi } from './support/programs.ts'
import { startRedis } from './support/redis.ts'
import { create, startServer, visit } from './support/server.ts'
import { smallDisk } from './support/small-disk.ts'

const now = Date.UTC(2026, 10, 23, 12)

/** Nothing outside of this machine is asked. */
const world: DoctorOptions['world'] = {
  lookup: async () => ['192.0.2.7'],
  networkInterfaces: () => ({}),
  now: Date.now,
}

/** The lines of the doctor for these settings. */
async function doctor(env: Record<string, string>, more: Partial<DoctorOptions['world']> = {}): Promise<string[]> {
  const set = readSettings(settings, {}, { PORT: '0', ...env }, '/nonexistent')
  const call = createOperatorClient(String(env['DATA_DIR']))
  const found = await examine({ config: valuesOf(set.settings), set, call, world: { ...world, ...more }, servers })
  return linesOf(found)
}

const linesOf = (found: Finding[]) => found.map(({ check, verdict, text }) => `${verdict} ${check}: ${text}`)
const of = (lines: string[], check: string) => lines.filter((line) => line.includes(` ${check}: `))

/** Has one line about the check, which matches. */
function assertLine(lines: string[], check: string, expected: RegExp): void {
  const found = of(lines, check)
  assert.ok(
    found.some((line) => expected.test(line)),
    `${check}: ${expected} is not in\n${lines.join('\n')}`,
  )
}

/** A program that stands for a proxy, or for another service, at an address. */
async function serveHttp(t: Ending, answer: Parameters<typeof createHttpServer>[1]): Promise<string> {
  const server = createHttpServer(answer as () => void).listen(0, '127.0.0.1')
  await once(server, 'listening')
  undoLater(t, () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('quirl doctor prints a line for each check, or JSON, while quirl runs and not, and exits with 1 for a fault only', async (t) => {
  const folder = join(temporaryFolder(t), 'data')
  const stopped = await command(folder, 'doctor', '--port=0')
  assert.deepEqual([stopped.status, stopped.stderr], [0, ''])
  assert.match(stopped.stdout, /^WARNING +service +no quirl is running on DATA_DIR=.*was not looked at$/m)
  assert.match(stopped.stdout, /^WARNING +data folder +.*the first start creates it$/m)
  const server = await startServer(t, {})
  const running = await command(server.dataDir, 'doctor')
  assert.equal(running.status, 0, running.stdout)
  for (const row of [/^ok +service +runs and is ready$/m, /^ok +statistics /m, /^ok +lock +the service holds it$/m])
    assert.match(running.stdout, row)
  const json = await command(server.dataDir, 'doctor', '--json')
  const { findings } = JSON.parse(json.stdout) as { findings: Finding[] }
  assert.deepEqual(Object.keys(findings[0] ?? {}), ['check', 'verdict', 'text'])
  const faulty = await command(folder, 'doctor', '--port=abc', '--host=a b')
  assert.equal(faulty.status, 1)
  assert.match(faulty.stdout, /^FAULT +settings +PORT=abc is not allowed.*, and 1 more: see "quirl config check"$/m)
  assert.match((await command(folder, 'doctor', 'now')).stderr, /takes no argument/)
})

test('the folder: its owner, who may read it, whether it is one, its lock and what waits in its journal', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  chmodSync(DATA_DIR, 0o755)
  for (const name of ['journal', 'closed']) mkdirSync(join(DATA_DIR, name), { mode: name === 'closed' ? 0o700 : 0o755 })
  for (const name of ['links.db', 'lock', 'closed/x', 'journal/id', 'journal/1.journal', 'journal/2.damaged'])
    writeFileSync(join(DATA_DIR, name), '', { mode: 0o600 })
  chmodSync(join(DATA_DIR, 'closed/x'), 0o644)
  let lines = await doctor({ DATA_DIR })
  assertLine(lines, 'data folder', /^ok /)
  assertLine(lines, 'lock', /^ok .*nobody/)
  assertLine(lines, 'journal', /^warning .*: 1 damaged file/)
  assertLine(lines, 'journal', /^ok .*: 1 file\(s\) with visits wait/)
  chmodSync(join(DATA_DIR, 'links.db'), 0o640)
  const lock = lockFolder(DATA_DIR)
  lines = await doctor({ DATA_DIR })
  lock.release()
  assertLine(lines, 'data folder', /^fault .*: other users may read \S+links\.db: chmod -R go= /)
  assertLine(lines, 'lock', /^fault .*does not answer commands/)
  chmodSync(DATA_DIR, 0o700)
  assertLine(await doctor({ DATA_DIR }), 'data folder', /^ok /)
  assertLine(await doctor({ DATA_DIR: join(DATA_DIR, 'lock') }), 'data folder', /^fault .*is not a folder/)
  if (process.getuid?.() !== 0) return
  chownSync(join(DATA_DIR, 'links.db'), 65_534, 65_534)
  assertLine(
    await doctor({ DATA_DIR }),
    'data folder',
    /^fault .*links\.db belongs to user 65534, but quirl runs as 0: chown -R 0 /,
  )
})

test('the disk: its free space, and how many files it can still have', async (t) => {
  const disk = smallDisk(t, 8 * 2 ** 20)
  if (disk === undefined) return
  if (Object.keys(disk.env).length > 0) return skipUnlessCi(t, 'no file system can be mounted')
  const DATA_DIR = disk.folder
  assertLine(await doctor({ DATA_DIR }), 'disk', /^fault disk: 8 MiB are free for .*: make room/)
  execFileSync('mount', ['-o', 'remount,nr_inodes=500', DATA_DIR])
  assertLine(await doctor({ DATA_DIR }), 'disk', /^fault disk: \d+ more files can be created/)
})

test('the last backup: none, an old one, one of today, and one of the future', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  const at = (ms: number) => noteBackup(DATA_DIR, { taken_at: new Date(ms).toISOString() })
  assertLine(await doctor({ DATA_DIR }), 'backup', /^warning .*: no backup is known of/)
  for (const [age, expected] of [
    [3, /^ok backup: the last backup was taken 3 hours ago$/],
    [24 * 9, /^warning backup: the last backup was taken 9 days ago: run "quirl backup/],
    [-5, /^warning backup: the last backup is from the future/],
  ] as const) {
    at(now - age * 3_600_000)
    assertLine(await doctor({ DATA_DIR }, { now: () => now }), 'backup', expected)
  }
})

test('the clock: a year that cannot be, and that of what answers BASE_URL', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  assertLine(await doctor({ DATA_DIR }, { now: () => 0 }), 'clock', /^fault clock: it is 1970-01-01 00:00 UTC/)
  const port = await freePort()
  const server = await startServer(t, { BASE_URL: `http://127.0.0.1:${port}`, PORT: '0' })
  await proxyTo(t, server.url, port, { date: new Date(Date.now() + 600_000).toUTCString() })
  const lines = await doctor({ DATA_DIR: server.dataDir })
  assertLine(lines, 'BASE_URL', /^warning .*the clock of what answers BASE_URL is (?:59\d|60\d) seconds ahead/)
})

/** A proxy on loopback that adds headers to the response and to the request. */
async function proxyTo(
  t: Ending,
  url: string,
  port: number,
  headers: Record<string, string>,
  added: Record<string, string> = { 'x-forwarded-for': '198.51.100.7' },
): Promise<void> {
  const proxy = createHttpServer((incoming, outgoing) => {
    const forwarded = { ...incoming.headers, ...added }
    request(url + incoming.url, { headers: forwarded }, (response) => {
      outgoing.writeHead(response.statusCode ?? 0, { ...response.headers, ...headers })
      response.pipe(outgoing)
    }).end()
  }).listen(port, '127.0.0.1')
  await once(proxy, 'listening')
  undoLater(t, () => {
    proxy.closeAllConnections()
    proxy.close()
  })
}

test('the address: unset, loopback, unknown to the DNS, of this machine, private, and elsewhere', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  const address = (BASE_URL: string, more: Partial<typeof world> = {}) =>
    doctor({ DATA_DIR, ...(BASE_URL !== '' && { BASE_URL }) }, more).then((lines) => of(lines, 'address').join('\n'))
  const networkInterfaces = () =>
    ({ eth0: [{ address: '192.0.2.7' }] }) as unknown as ReturnType<typeof world.networkInterfaces>
  const lookup = (...found: string[]) => ({ lookup: async () => found })
  const unknown = { lookup: () => Promise.reject(new Error('queryA ENOTFOUND qr.example.com')) }
  assert.match(await address(''), /^warning address: BASE_URL is unset/)
  assert.match(await address('http://localhost:3000'), /^warning .*from this machine only$/)
  assert.match(
    await address('https://qr.example.com', unknown),
    /^fault .*qr\.example\.com does not resolve \(queryA ENOTFOUND/,
  )
  assert.match(await address('https://qr.example.com', lookup()), /^fault .*qr\.example\.com has no address/)
  assert.match(
    await address('https://qr.example.com', { networkInterfaces }),
    /^ok .*resolves to this machine: 192\.0\.2\.7$/,
  )
  assert.match(await address('https://10.0.0.1'), /^warning .*which the internet cannot reach$/)
  assert.match(
    await address('https://qr.example.com', lookup('8.8.8.8', '2001:4860::1')),
    /^ok .*no address of this machine: a proxy/,
  )
})

test('the address: unset while clients come by way of a host that is not of this machine', async (t) => {
  const server = await startServer(t)
  const { stdout } = await command(server.dataDir, 'doctor')
  assert.match(stdout, /^WARNING +address +BASE_URL is unset: [^.]*$/m)
  await ask(`${server.url}/`, { headers: { host: 'go.bakery.shop' } })
  assertLine(
    await doctor({ DATA_DIR: server.dataDir }),
    'address',
    /^warning address: BASE_URL is unset: .*by way of go\.bakery\.shop, and was given URLs of localhost$/,
  )
})

test('lists: none while anybody may create at a public address', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  const BASE_URL = 'https://qr.example.com'
  const at = (...found: string[]) => ({ lookup: async () => found })
  const machine = (address: string) => ({ networkInterfaces: () => ({ eth0: [{ address }] }) as never })
  const lists = async (env: Record<string, string>, more: Partial<typeof world>) =>
    of(await doctor({ DATA_DIR, ...env }, more), 'lists').join('\n')
  const expected = /^warning lists: anybody may create links at \S+, and no list .*: set ABUSE_FEEDS, or CREATE=token$/
  for (const [env, more] of [
    [{ BASE_URL }, at('10.0.0.1', '8.8.8.8')],
    [{ BASE_URL: 'https://8.8.8.8' }, at()],
    [{}, machine('8.8.8.8')],
    [{ HOST: '2001:4860::1' }, machine('10.0.0.1')],
  ] as const)
    assert.match(await lists(env, more), expected, JSON.stringify(env))
  // A public name has the recommended ones, unless the operator has turned them off.
  const PUBLIC = 'https://go.bakery.shop'
  assert.equal(await lists({ BASE_URL: PUBLIC }, at('8.8.8.8')), '')
  assert.match(
    await lists({ BASE_URL: PUBLIC, ABUSE_FEEDS: 'off' }, at()),
    /^warning lists: ABUSE_FEEDS=off, while anybody may create links at https:\/\/go\.bakery\.shop: .*; set ABUSE_FEEDS=recommended, or CREATE=token$/,
  )
  assert.equal(await lists({ BASE_URL: PUBLIC, ABUSE_FEEDS: 'off', CREATE: 'token' }, at('8.8.8.8')), '')
  for (const [env, more] of [
    [{ BASE_URL, CREATE: 'token' }, at('8.8.8.8')],
    [{ BASE_URL, CREATE: 'closed' }, at('8.8.8.8')],
    [{ BASE_URL, ABUSE_FEEDS: '/lists/hosts' }, at('8.8.8.8')],
    [{ BASE_URL }, at('10.0.0.1', 'fd00::1')],
    [{ BASE_URL }, { lookup: () => Promise.reject(new Error('ENOTFOUND')) }],
    [{ BASE_URL: 'http://localhost:3000' }, at('8.8.8.8')],
    [{}, machine('192.168.1.50')],
    [{ HOST: '127.0.0.1' }, machine('8.8.8.8')],
  ] as const)
    assert.equal(await lists(env, more), '', JSON.stringify(env))
})

test('the ports: free, taken, of a host that is not here, and one on which the service does not listen', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  const taken = createServer().listen(await freePort(), '127.0.0.1')
  await once(taken, 'listening')
  undoLater(t, () => void taken.close())
  const PORT = String((taken.address() as AddressInfo).port)
  const here = { DATA_DIR, HOST: '127.0.0.1' }
  assertLine(
    await doctor({ ...here, PORT }),
    'PORT',
    /^fault PORT: 127\.0\.0\.1:\d+ cannot be listened on: another program listens there/,
  )
  const [free, other] = [String(await freePort()), String(await freePort())]
  assertLine(await doctor({ ...here, PORT: free }), 'PORT', /^ok PORT: \d+ is free$/)
  const tls = { TLS: 'on', BASE_URL: 'https://qr.example.com', HTTP_PORT: free, HTTPS_PORT: PORT }
  const lines = await doctor({ ...here, ...tls })
  assertLine(lines, 'HTTP_PORT', /^ok /)
  assertLine(lines, 'HTTPS_PORT', /^fault /)
  assertLine(
    await doctor({ DATA_DIR, HOST: '192.0.2.77', PORT: free }),
    'PORT',
    /^fault .*HOST=192\.0\.2\.77 is no address of this machine$/,
  )
  // Its settings name a port on which this one does not listen.
  const server = await startServer(t, { PORT: other })
  assertLine(
    await doctor({ DATA_DIR: server.dataDir }),
    'PORT',
    /^fault PORT: nothing answers on 127\.0\.0\.1:\d+ \(connect ECONNREFUSED/,
  )
})

test('BASE_URL: leads to this service, to another quirl, to something else, or nowhere', async (t) => {
  const port = await freePort()
  const BASE_URL = `http://127.0.0.1:${port}`
  const server = await startServer(t, { BASE_URL })
  const { dataDir: DATA_DIR } = server
  assertLine(await doctor({ DATA_DIR }), 'BASE_URL', /^fault .*cannot be reached from here \(connect ECONNREFUSED/)
  const other = await startServer(t)
  const target = { url: other.url }
  const leading = createHttpServer((incoming, outgoing) => {
    request(target.url + incoming.url, (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers)
      response.pipe(outgoing)
    }).end()
  }).listen(port, '127.0.0.1')
  await once(leading, 'listening')
  undoLater(t, () => {
    leading.closeAllConnections()
    leading.close()
  })
  assertLine(await doctor({ DATA_DIR }), 'BASE_URL', /^fault .*leads to another quirl/)
  target.url = server.url
  assertLine(await doctor({ DATA_DIR }), 'BASE_URL', /^ok .*leads to this service$/)
  target.url = await serveHttp(t, (_, response) => void response.writeHead(404).end())
  assertLine(await doctor({ DATA_DIR }), 'BASE_URL', /^fault .*is answered by something else \(status 404\)/)
  // The id of the store is its own secret.
  const { id } = await server.services.db.read.selectFrom('instance').select('id').executeTakeFirstOrThrow()
  const shown = (await fetch(`${server.url}/healthz`)).headers.get('quirl-instance') ?? ''
  assert.match(shown, /^[\w-]{22}$/)
  assert.equal(id.includes(shown) || shown.includes(id), false)
})

test('proxies: one that is not in TRUST_PROXY, one that is, and TRUST_PROXY of none', async (t) => {
  const behind = async (env: Record<string, string>, added?: Record<string, string>) => {
    const port = await freePort()
    const server = await startServer(t, { BASE_URL: `http://127.0.0.1:${port}`, ...env })
    await proxyTo(t, server.url, port, {}, added)
    return doctor({ DATA_DIR: server.dataDir })
  }
  assertLine(
    await behind({}),
    'BASE_URL',
    /^warning .*X-Forwarded-For from 127\.0\.0\.1 is ignored.*add it to TRUST_PROXY$/,
  )
  // Nobody can be asked by an address that is not set, but what clients have sent is known.
  const unset = await startServer(t)
  const lines = async () => of(await doctor({ DATA_DIR: unset.dataDir }), 'BASE_URL')
  assert.deepEqual(await lines(), [])
  const port = await freePort()
  await proxyTo(t, unset.url, port, {})
  const { code } = await create(unset, { target: 'https://example.com/' })
  await visit(`http://127.0.0.1:${port}/${code}`)
  assert.match((await lines()).join('\n'), /^warning .*X-Forwarded-For from 127\.0\.0\.1 is ignored.*TRUST_PROXY$/)
  const TRUST_PROXY = '127.0.0.1'
  assertLine(await behind({ TRUST_PROXY }), 'BASE_URL', /^ok .*come through a proxy of TRUST_PROXY$/)
  assertLine(await behind({ TRUST_PROXY }, {}), 'BASE_URL', /^warning .*no proxy in it has forwarded a request/)
})

test('PostgreSQL: away, read-only, forgetful, too small, or with nodes that are gone; asked by the service, or without one', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const DATA_DIR = temporaryFolder(t)
  const address = await createDatabase()
  const DATABASE_URL = urlOf(address)
  const postgres = async (more: Record<string, string> = {}) =>
    of(await doctor({ DATA_DIR, DATABASE_URL, ...more }), 'PostgreSQL').join('\n')
  assert.match(await postgres(), /^ok PostgreSQL: \d+.*, \d+ of \d+ connections in use$/)
  assert.match(
    await postgres({ DATABASE_POOL: '1000' }),
    /^fault .*max_connections=\d+ is too few for DATABASE_POOL=1000/,
  )
  const away = await postgres({ DATABASE_URL: 'postgres://quirl:hidden@127.0.0.1:9/x' })
  assert.match(away, /^fault PostgreSQL: cannot be used: connect ECONNREFUSED/)
  assert.doesNotMatch(away, /hidden/)

  const server = await startServer(t, { DATABASE_URL })
  const { db } = server.services
  const { sql } = await import('#kysely')
  const node = { DATA_DIR: server.dataDir }
  assert.match(of(await doctor(node), 'PostgreSQL').join('\n'), /^ok /)
  await sql`insert into quirl_scans.folds values ('gone', now() - interval '1 hour')`.execute(db.write)
  await sql.raw(`alter database ${address.database} set synchronous_commit = off`).execute(db.write)
  const lines = await doctor(node)
  assertLine(lines, 'PostgreSQL', /^fault .*synchronous_commit is off/)
  assertLine(lines, 'PostgreSQL', /^warning .*1 node\(s\) have not counted their visits/)
  assert.deepEqual(of(lines, 'backup'), [])
  await sql.raw(`alter database ${address.database} set default_transaction_read_only = on`).execute(db.write)
  assertLine(await doctor(node), 'PostgreSQL', /^fault .*takes no changes/)
})

test('Redis: reached, a replica, and away', async (t) => {
  if (!requireProgram(t, 'redis-server', 'redis')) return
  const redis = await startRedis(t, 'hidden')
  const DATA_DIR = temporaryFolder(t)
  const check = async (REDIS_URL = redis.url) => of(await doctor({ DATA_DIR, REDIS_URL }), 'Redis').join('\n')
  assert.match(await check(), /^ok Redis: (?:Redis|Valkey) \d+\./)
  await redis.use((client) => client.replicaof('127.0.0.1', 9))
  assert.match(await check(), /^fault Redis: .* is a replica/)
  await redis.kill()
  const away = await check()
  assert.match(away, /^fault Redis: cannot be used, so that each node counts by itself: connect ECONNREFUSED/)
  assert.doesNotMatch(away, /hidden/)
})

test('a service that is not ready, has too few files, or does not answer', async (t) => {
  const missing = await startServer(t, { ABUSE_FEEDS: '/nonexistent/list.txt' })
  const lines = await doctor({ DATA_DIR: missing.dataDir })
  assertLine(lines, 'service', /^fault service: runs, but is not ready: the list list\.txt/)
  assertLine(lines, 'lists', /^fault lists: list\.txt has never been loaded \(.*ENOENT/)
  const small = await start(t, undefined, [], { files: 1500 })
  assertLine(await doctor({ DATA_DIR: small.dataDir }), 'open files', /^warning open files: at most 1500/)
  const folder = temporaryFolder(t)
  const impostor = createServer((socket) => socket.on('error', () => {}).end('nonsense\r\n\r\n')).listen(
    socketPath(folder),
  )
  await once(impostor, 'listening')
  undoLater(t, () => void impostor.close())
  assertLine(await doctor({ DATA_DIR: folder }), 'service', /^fault service: cannot reach the quirl that runs on/)
})

test('what a service says of its statistics, lists, certificates, files and memory is judged', async () => {
  const config = valuesOf(readSettings(settings, {}, { TLS: 'on', ABUSE_FEEDS: '/x' }, '/nonexistent').settings)
  const hour = 3_600_000
  const judge = async (metrics: Record<string, number>, more: object = {}) => {
    const state = { metrics } as unknown as Parameters<typeof serviceChecks>[0]['service']
    const list = { name: 'l.txt', takenAt: now - 50 * hour, fault: null }
    const times = { renews_at: null, retry_at: null, queued_at: null }
    const row = { name: 'a.example', expires_at: now + 60 * 24 * hour, fault: null, ...times }
    const subject = {
      settings: checkedSettings(config),
      service: state,
      lists: async () => ({ lists: [list], own: null, sweeping: false }) as never,
      certificates: async () => ({ certificates: [row], waiting: null }),
      domains: async () => ({ domains: [], refused: [] }),
      node: '26.1.0',
      files: { open: 10, limit: 20_000 },
      memory: { used: 1, limit: null },
      now: () => now,
      ...more,
    }
    return linesOf(await runChecks(serviceChecks(subject)))
  }
  const good = await judge({ quirl_abuse_lists_checked_timestamp_seconds: (now - hour) / 1000 })
  assert.deepEqual(
    good.filter((line) => !line.startsWith('ok ')),
    [],
  )
  const bad = await judge({
    quirl_fold_failing: 1,
    quirl_abuse_lists_checked_timestamp_seconds: (now - 30 * hour) / 1000,
  })
  assertLine(bad, 'statistics', /^fault .*visits do not reach the statistics/)
  assertLine(bad, 'lists', /^warning .*1 checked, the last one 30 hours ago/)
  const behind = { quirl_folded_until_timestamp_seconds: (now - hour) / 1000, quirl_journal_backlog_bytes: 90 }
  assertLine(await judge(behind), 'statistics', /^warning .*1 hours behind/)
  assertLine(await judge({ quirl_scans_lost_total: 3 }), 'statistics', /^warning .*3 visits were not counted/)
  const certificate = (expires: number | null, fault: string | null) => ({
    certificates: async () => ({
      certificates: [{ name: 'a.example', expires_at: expires, fault, queued_at: null }],
      waiting: null,
    }),
  })
  const queued = {
    certificates: async () => ({
      certificates: [{ name: 'a.example', expires_at: null, fault: null, queued_at: now }],
      waiting: { count: 3, since: now - hour, reason: '160 were ordered in three hours', until: now + hour },
    }),
  }
  assertLine(
    await judge({}, queued),
    'certificates',
    /^warning certificates: 3 names wait for their first certificate, the first since 20\d\d-\S+ \S+ UTC: 160 were ordered in three hours; it goes on after 20\d\d-\S+ \S+ UTC$/,
  )
  const domain = (name: string, status: string, value: string | null) => ({
    name,
    status,
    since: now,
    checked_at: now,
    expires_at: null,
    fault: null,
    proof: value === null ? null : { name: `_quirl.${name}`, value },
  })
  const domains = ['old.example', 'www.example'].map((name) => domain(name, 'active', 'quirl-claim=x'))
  const others = [domain('a.example', 'pending', 'quirl-claim=x'), domain('b.example', 'active', null)]
  const registered = { domains: async () => ({ domains: [...domains, ...others], refused: [] }) }
  const own = { host: 'go.example', list: 'l.txt' }
  const named = { lists: async () => ({ lists: [], own, sweeping: false }) }
  for (const [subject, expected] of [
    [named, /^warning lists: l\.txt names go\.example, which is this service: no link is blocked for that/],
    [registered, /^warning domains: old\.example and 1 more led here before somebody registered it/],
    [certificate(null, 'no DNS'), /^fault certificates: a\.example has none: no DNS$/],
    [certificate(now - hour, null), /^fault .*expired 1 hours ago/],
    [certificate(now + 72 * hour, 'refused'), /^warning .*expires in 3 days: refused/],
    [{ files: { open: 19_000, limit: 20_000 } }, /^fault open files: 19000 of 20000 are open/],
    [{ memory: { used: 95, limit: 100 } }, /^warning memory/],
    [{ node: '22.9.0' }, /^fault node: Node 22\.9\.0 is too old/],
    [{ node: '24.11.9' }, /^fault node: /],
  ] as const) {
    const lines = await judge({}, subject)
    assert.ok(
      lines.some((line) => expected.test(line)),
      `${expected}\n${lines.join('\n')}`,
    )
  }
})

test('a check that does not end is a fault after its time, and one that throws is one; the others are not affected', async () => {
  const never = new Promise<never>(() => {})
  let isAborted = false
  const found = await runChecks(
    [
      {
        name: 'slow',
        run: (signal) => {
          signal.addEventListener('abort', () => (isAborted = true))
          return never
        },
      },
      {
        name: 'broken',
        run: () => {
          throw new Error('two\nlines')
        },
      },
      { name: 'none', run: () => [] },
      { name: 'good', run: () => [{ verdict: 'ok', text: 'fine' }] },
    ],
    20,
  )
  assert.deepEqual(linesOf(found), [
    'fault slow: was not done within 0.02 seconds: what it asks does not answer',
    'fault broken: could not be looked at: two lines',
    'ok good: fine',
  ])
  assert.equal(isAborted, true)
})
