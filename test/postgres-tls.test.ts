// Connections to PostgreSQL by TLS, with certificates that openssl made. psql is the measure: it has the same URL.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { outcomeOf } from '../src/main.ts'
import { reasonOf } from '../src/nodes/database/errors.ts'
import { openPostgresSession } from '../src/nodes/database/session.ts'
import { readUrl, withVariables } from '../src/config/postgres-url.ts'
import { endOfFile, temporaryFolder } from './support/cleanup.ts'
import { fillStore } from './support/filled-stores.ts'
import { freePort } from './support/ports.ts'
import { startPostgres, type PostgresServer } from './support/postgres.ts'
import { exitOf, start } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { seededRandom } from './support/random.ts'
import { create, visit } from './support/server.ts'
import { poll } from './support/poll.ts'
import { selfSigned, signedBy, startTlsPostgres } from './support/tls-postgres.ts'

const ending = endOfFile()
const folder = temporaryFolder(ending)

interface Servers {
  /** Its certificate is for `localhost`, by the authority. */
  named: PostgresServer
  selfSigned: PostgresServer
  plain: PostgresServer
}

let servers: Promise<Servers> | undefined

async function startAll(): Promise<Servers> {
  const authority = selfSigned(folder, 'ca')
  selfSigned(folder, 'other')
  signedBy(authority, folder, 'certified', 'DNS:certified')
  const [named, own, plain] = await Promise.all([
    startTlsPostgres(ending, signedBy(authority, folder, 'named', 'DNS:localhost'), authority),
    startTlsPostgres(ending, selfSigned(folder, 'own')),
    startTlsPostgres(ending),
  ])
  return { named, selfSigned: own, plain }
}

async function serversFor(t: TestContext): Promise<Servers | undefined> {
  if (!requireProgram(t, 'initdb', 'postgresql') || !requireProgram(t, 'openssl', 'openssl')) return undefined
  return (servers ??= startAll())
}

/** What becomes of a connection: with TLS, without, or none. */
type Became = 'tls' | 'plain' | 'none'

const ASK = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()'

async function quirlOn(url: string): Promise<Became> {
  const session = openPostgresSession({ url, max: 1 })
  try {
    const [row] = await session.query<{ ssl: boolean }>(ASK)
    return row?.ssl === true ? 'tls' : 'plain'
  } catch {
    return 'none'
  } finally {
    await session.close()
  }
}

async function psqlOn(url: string): Promise<Became> {
  // No files of the user, and no variables.
  const env = { PATH: process.env['PATH'], HOME: folder }
  try {
    const { stdout } = await promisify(execFile)('psql', ['-tAwc', ASK, url], { env })
    return stdout.trim() === 't' ? 'tls' : 'plain'
  } catch {
    return 'none'
  }
}

const file = (name: string) => join(folder, name)
const ca = `sslrootcert=${file('ca.crt')}`
const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'].map((mode) => `sslmode=${mode}`)

/** Connects as both do. A file that is missing verifies nothing for libpq, as a slip of the pen would; for quirl it is an error. */
async function compare(url: string): Promise<Became> {
  const isUnread = url.includes('missing')
  const [became, expected] = await Promise.all([
    Promise.resolve(url)
      .then(quirlOn)
      .catch((): Became => 'none'),
    isUnread ? ('none' as const) : psqlOn(url),
  ])
  assert.equal(became, expected, url)
  return expected
}

test('each sslmode means what it means for psql, whatever the server has', async (t) => {
  const all = await serversFor(t)
  if (all === undefined || !requireProgram(t, 'psql', 'postgresql-client')) return
  const hosts = [
    `localhost:${all.named.port}`,
    `127.0.0.1:${all.named.port}`,
    `127.0.0.1:${all.selfSigned.port}`,
    `127.0.0.1:${all.plain.port}`,
  ]
  const verifying = modes.filter((mode) => !/disable|allow|prefer/.test(mode))
  const files = ['ca.crt', 'other.crt', 'own.crt', 'missing.crt'].map((name) => `sslrootcert=${file(name)}`)
  const urls = hosts.flatMap((host) => [
    ...['quirl', 'only_tls', 'only_plain'].flatMap((user) =>
      modes.map((mode) => `postgres://${user}@${host}/postgres?${mode}`),
    ),
    ...files.flatMap((name) => verifying.map((mode) => `postgres://quirl@${host}/postgres?${mode}&${name}`)),
  ])
  const met = new Set<Became>()
  for (let at = 0; at < urls.length; at += 4)
    for (const became of await Promise.all(urls.slice(at, at + 4).map(compare))) met.add(became)
  assert.equal(met.size, 3)
})

test('a Unix socket has no TLS, whatever the URL says', async (t) => {
  const all = await serversFor(t)
  if (all === undefined) return
  const { host, port } = all.plain
  for (const mode of ['sslmode=require', `sslmode=verify-full&${ca}`, 'sslmode=prefer']) {
    const url = `postgres:///postgres?host=${encodeURIComponent(host)}&port=${port}&user=quirl&${mode}`
    assert.equal(await quirlOn(url), 'plain')
  }
})

test('a client has the certificate that the URL names, and a password is bound to the connection where that is demanded', async (t) => {
  const all = await serversFor(t)
  if (all === undefined) return
  const { named, plain } = all
  const own = `sslcert=${file('certified.crt')}&sslkey=${file('certified.key')}`
  const as = (user: string, server: PostgresServer, more: string) =>
    quirlOn(`postgres://${user}@127.0.0.1:${server.port}/postgres?${more}`)
  assert.equal(await as('certified', named, `sslmode=require&${own}`), 'tls')
  assert.equal(await as('certified', named, 'sslmode=require'), 'none')
  for (const binding of ['', '&channel_binding=prefer', '&channel_binding=require', '&channel_binding=disable'])
    assert.equal(await as('secret:hunter2', named, `sslmode=require${binding}`), 'tls', binding)
  assert.equal(await as('secret:wrong', named, 'sslmode=require&channel_binding=require'), 'none')
  // Without TLS there is nothing to bind to, and a server that asks for no password proves nothing.
  assert.equal(await as('secret:hunter2', plain, 'channel_binding=prefer'), 'plain')
  assert.equal(await as('secret:hunter2', plain, 'channel_binding=require'), 'none')
  assert.equal(await as('quirl', named, 'sslmode=require&channel_binding=require'), 'none')
})

test('of several hosts, the first one counts that is there and, on demand, takes changes', async (t) => {
  const all = await serversFor(t)
  if (all === undefined) return
  const { named, plain } = all
  const standby = await startPostgres(t, { port: await freePort(), standbyOf: plain })
  const [away, second] = [await freePort(), standby.port]
  const portOf = async (hosts: string, more = '') => {
    const session = openPostgresSession({ url: `postgres://quirl@${hosts}/postgres?${more}`, max: 2 })
    try {
      const rows = await session.query<{ port: number }>(`select current_setting('port')::int as port`)
      return rows[0]?.port
    } finally {
      await session.close()
    }
  }
  assert.equal(await portOf(`127.0.0.1:${away},127.0.0.1:${plain.port}`), plain.port)
  assert.equal(await portOf(`127.0.0.1:${second},127.0.0.1:${plain.port}`), second)
  for (const attributes of ['read-write', 'primary'])
    assert.equal(
      await portOf(`127.0.0.1:${second},127.0.0.1:${plain.port}`, `target_session_attrs=${attributes}`),
      plain.port,
    )
  assert.equal(
    await portOf('', `host=127.0.0.1,127.0.0.1&port=${away},${named.port}&sslmode=verify-ca&${ca}`),
    named.port,
  )
  // The certificate is for one of them, or who is asked for is nobody: libpq stops there as well.
  await assert.rejects(
    portOf(`127.0.0.1:${named.port},127.0.0.1:${plain.port}`, 'user=nobody'),
    /no pg_hba\.conf entry .*"nobody"/,
  )
  await assert.rejects(
    portOf(`127.0.0.1:${away},127.0.0.1:${second}`, 'target_session_attrs=read-write'),
    /127\.0\.0\.1:\d+: connect ECONNREFUSED .*; 127\.0\.0\.1:\d+: .* takes no changes, as a standby/,
  )
})

test('a failed start says what to write in the URL, and what quirl cannot do is refused by name', async (t) => {
  const all = await serversFor(t)
  if (all === undefined) return
  const { named, selfSigned: own, plain } = all
  const at = ({ port }: PostgresServer, more: string, user = 'quirl') =>
    `postgres://${user}:hunter2@127.0.0.1:${port}/postgres${more}`
  const cases: [url: string, line: RegExp][] = [
    [
      at(own, '?sslmode=verify-full'),
      /self-signed certificate: name its authority by sslrootcert \(a file, or system\), or write sslmode=require/,
    ],
    [
      at(named, `?sslmode=verify-full&${ca}`),
      /does not match certificate's altnames.*: name the host that the certificate is for, or write sslmode=verify-ca/,
    ],
    [at(named, '', 'only_tls'), /no encryption: add sslmode=require to the URL/],
    [at(plain, '?sslmode=require'), /does not support SSL connections: write sslmode=disable/],
    [
      at(named, `?sslmode=verify-ca&sslrootcert=/missing/ca.crt`),
      /no such file or directory, open '\/missing\/ca\.crt'/,
    ],
    [at(named, '?sslmode=verify-ca'), /has sslmode=verify-ca without sslrootcert: name the file of the authority/],
    [
      at(named, '?sslmode=require&sslrootcert=system'),
      /has sslrootcert=system with sslmode=require.*write verify-full/,
    ],
    [
      at(named, '?sslmode=on'),
      /has sslmode=on, which is none of disable, allow, prefer, require, verify-ca, verify-full/,
    ],
    [at(named, '?target_session_attrs=standby'), /has a target_session_attrs that is none of any, read-write, primary/],
    [at(named, '?hostaddr=127.0.0.1'), /has the parameter hostaddr, which quirl cannot follow/],
    [at(named, '?sslmode=require&sslnegotiation=fast'), /has sslnegotiation=fast/],
    ['postgres://a:hunter2@/x?host=a,b,c&port=1,2', /names 3 hosts and 2 ports/],
  ]
  const source = temporaryFolder(t)
  await fillStore(source, seededRandom(t), 1)
  for (const [url, line] of cases) {
    const doctor = await outcomeOf(['doctor', `--database-url=${url}`, `--data-dir=${source}`])
    assert.match(doctor.stdout, line)
    for (const args of [
      ['verify', `--database-url=${url}`],
      ['migrate', `--from=${source}`, `--to=${url}`],
    ]) {
      const { status, stderr } = await outcomeOf(args)
      assert.equal(status, 1)
      assert.match(stderr, /^quirl: [^\n]+\n$/)
      assert.match(stderr, line)
      assert.doesNotMatch(stderr, /hunter2/)
    }
  }
})

test('a service serves on a hosted PostgreSQL, by the URL that psql takes, with all its connections', async (t) => {
  const all = await serversFor(t)
  if (all === undefined) return
  const server = all.selfSigned
  await server.execute('create database hosted')
  const url = `postgresql://quirl@127.0.0.1:${server.port}/hosted?sslmode=require&channel_binding=prefer`
  const service = await start(t, undefined, [], { env: { DATABASE_URL: url } })
  const { code } = await create(service, { target: 'https://example.com/' })
  assert.equal((await visit(`${service.url}/${code}`)).status, 302)
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text()
  await poll(async () => /^quirl_bus_connected 1$/m.test(await metrics()))
  await poll(async () => /^quirl_journal_backlog_bytes 0$/m.test(await metrics()))
  const { rows } = await server.execute(
    `select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where datname = 'hosted'`,
  )
  assert.deepEqual(rows, [{ ssl: true }])
  service.process.kill('SIGTERM')
  await exitOf(service)
  assert.doesNotMatch(service.output(), /SECURITY WARNING/)
})

test('variables of libpq complete a URL that does not overrule them', () => {
  const env = { PGSSLMODE: 'verify-full', PGSSLROOTCERT: '/ca.pem', PGTARGETSESSIONATTRS: 'primary', PGHOST: 'x' }
  const read = (url: string) => readUrl(withVariables(url, env))
  const [way] = read('postgres://u@h/d').ways
  assert.deepEqual(way?.tls, { verify: 'name', files: { ca: '/ca.pem' }, passphrase: undefined, isDirect: false })
  assert.equal(way.connectionString, 'postgres://u@h/d')
  assert.equal(read('postgres://u@h/d').isWritable, true)
  assert.equal(read('postgres://u@h/d?sslmode=disable').ways[0]?.tls, undefined)
  assert.equal(withVariables('postgres:///d?host=%2Frun%2Fpg', {}), 'postgres:///d?host=%2Frun%2Fpg')
})

test('the reason of a failure is one line, of a list of addresses the first', () => {
  assert.equal(reasonOf(new AggregateError([new Error('a\nb'), new Error('c')])), 'a b')
})
