import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { migratePostgres, openPostgres } from '../src/nodes/database/database.ts'
import { openPostgresSession } from '../src/nodes/database/session.ts'
import { migrateScans } from '../src/nodes/scans/migrations.ts'
import { leftOut, leftOutSchemas, planOf } from '../src/moving/plan.ts'
import { openPostgresSource } from '../src/nodes/moving/source.ts'
import { openPostgresStore } from '../src/nodes/moving/store.ts'
import { openSqliteStore } from '../src/moving/sqlite-store.ts'
import { nameOf } from '../src/moving/table.ts'
import { outcomeOf } from '../src/main.ts'
import { endOfFile, temporaryFolder, undoLater } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { runs } from './support/fast-check.ts'
import { fillStore, rowsOf } from './support/filled-stores.ts'
import { createOwner } from './support/owner.ts'
import { compareStored } from './support/owners.ts'
import { poll } from './support/poll.ts'
import { addressOf, startPostgres, urlOf, type PostgresServer } from './support/postgres.ts'
import { freePort } from './support/ports.ts'
import { exitOf, program, start, type Service } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { seededRandom } from './support/random.ts'
import { create, put, startServer, visit } from './support/server.ts'
import { startProxy } from './support/tcp-proxy.ts'
import { stopWhenFolded, UNLIMITED } from './support/workload.ts'

/** The pause between requests of an owner, which leaves the CPU to what is tested. */
const PACE_MS = 20

const ending = endOfFile()
let server: Promise<PostgresServer> | undefined
let databases = 0

/** The URL of an empty database; undefined when the test is skipped. */
async function emptyDatabase(t: TestContext): Promise<string | undefined> {
  if (!requireProgram(t, 'initdb', 'postgresql')) return undefined
  const running = await (server ??= startPostgres(ending))
  const name = `move_${++databases}`
  // Its order of texts is not that of their bytes.
  await running.execute(`create database ${name} template template0 locale_provider icu icu_locale 'de'`)
  return urlOf(addressOf(running, name))
}

const databaseOf = (url: string) => /move_\d+/.exec(url)?.[0] ?? ''

/** Runs SQL in the newest database. */
async function execute(statement: string, database = `move_${databases}`): Promise<Record<string, unknown>[]> {
  return (await (await server)?.execute(statement, database))?.rows ?? []
}

async function migrated(from: string, to: string): Promise<string> {
  const { status, stdout, stderr } = await command(from, 'migrate', `--from=${from}`, `--to=${to}`)
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  return stdout
}

async function refused(from: string, to: string): Promise<string> {
  const { status, stdout, stderr } = await command('/nonexistent', 'migrate', `--from=${from}`, `--to=${to}`)
  assert.deepEqual({ status, stdout }, { status: 1, stdout: '' })
  assert.match(stderr, /^quirl: [^\n]+\n$/)
  return stderr
}

test('each table of both stores is moved, or named with the reason why not', async (t) => {
  const url = await emptyDatabase(t)
  if (url === undefined) return
  const folder = temporaryFolder(t)
  await fillStore(folder, seededRandom(t), 1)
  await migratePostgres(url, Date.now)
  const session = openPostgresSession({ url, max: 1 })
  await migrateScans(session).finally(session.close)
  const sqlite = openSqliteStore({ links: join(folder, 'links.db'), scans: join(folder, 'scans.db') }, false)
  const postgres = await openPostgresStore(url)
  try {
    const plan = planOf(sqlite.tables, postgres.tables).map(nameOf)
    assert.ok(plan.includes('links'))
    for (const { tables } of [sqlite, postgres]) {
      for (const name of tables.map(nameOf)) {
        assert.notEqual(plan.includes(name), leftOut[name] !== undefined, name)
      }
    }
    // An order in which rows that others refer to come first.
    for (const [child, parent] of [
      ['designs', 'links'],
      ['outbox', 'webhooks'],
      ['webhooks', 'links'],
      ['collection_webhooks', 'collections'],
    ] as const)
      assert.ok(plan.indexOf(child) > plan.indexOf(parent), child)
  } finally {
    await sqlite.close()
    await postgres.close()
  }
})

/** More than two pages; ten times as many in `npm run test:faults`. */
const LINKS = runs(2500)

test(`a store of ${LINKS} links comes back from PostgreSQL as it was, and counts on`, async (t) => {
  const url = await emptyDatabase(t)
  if (url === undefined) return
  const [from, back] = [temporaryFolder(t), temporaryFolder(t)]
  await fillStore(from, seededRandom(t), LINKS)
  const links = new DatabaseSync(join(from, 'links.db'))
  links.exec("update sqlite_sequence set seq = 5000000000 where name = 'outbox'")
  links.close()
  const moved = await migrated(from, url)
  assert.ok(moved.includes(`among them ${LINKS.toLocaleString('en')} links\nNow set DATABASE_URL`), moved)
  const [next] = await execute(
    `insert into outbox (link_id, event_id, body, created_at) select link_id, '', '', 1 from webhooks limit 1 returning id`,
  )
  assert.equal(Number(next?.['id']), 5_000_000_001)
  await execute('delete from outbox where id = 5000000001')
  assert.match(await migrated(url, back), /Now unset DATABASE_URL/)
  assert.deepEqual(rowsOf(join(back, 'links.db')), {
    ...rowsOf(join(from, 'links.db')),
    sqlite_sequence: rowsOf(join(from, 'links.db'))['sqlite_sequence']?.map((row) =>
      row.replace('"outbox","seq":5000000000', '"outbox","seq":5000000001'),
    ),
  })
  assert.deepEqual(rowsOf(join(back, 'scans.db')), rowsOf(join(from, 'scans.db')))
  // The former stores are left: nothing that changes them would be moved any more.
  await assert.rejects(startServer(t, { DATA_DIR: from }), /were moved to PostgreSQL: set DATABASE_URL/)
  await assert.rejects(openPostgres({ url, max: 2 }, Date.now), /was moved into a folder: unset DATABASE_URL/)
  await assert.rejects(execute('delete from links'), /changes are refused/)
  const node = await startServer(t, { DATA_DIR: back })
  await node.stop()
})

test('a move that was killed at any page goes on, and no service starts on what is there', async (t) => {
  const first = await emptyDatabase(t)
  if (first === undefined) return
  const random = seededRandom(t)
  const [from, back] = [temporaryFolder(t), temporaryFolder(t)]
  await fillStore(from, random, 3000)
  const until = fileURLToPath(new URL('support/migrate-until.ts', import.meta.url))
  const killed = (source: string, target: string, most: number) => {
    const pages = Math.floor(random() * most)
    t.diagnostic(`killed after ${pages} pages`)
    const { signal, stderr } = spawnSync(process.execPath, [until, source, target, String(pages)], {
      encoding: 'utf8',
    })
    assert.equal(signal, 'SIGKILL', stderr)
  }
  for (let round = 0; round < 2; round++) {
    killed(from, first, 12)
    await assert.rejects(openPostgres({ url: first, max: 2 }, Date.now), /copy that is not complete/)
  }
  await migrated(from, first)
  // The hold of a command that was killed ends by itself, or is taken over by the next.
  killed(first, back, 30)
  await assert.rejects(startServer(t, { DATA_DIR: back }), /copy that is not complete/)
  await migrated(first, back)
  for (const file of ['links.db', 'scans.db']) assert.deepEqual(rowsOf(join(back, file)), rowsOf(join(from, file)))
  assert.ok(!existsSync(join(back, 'moving')))
})

test('a running service moves to PostgreSQL and back with all that it has answered', async (t) => {
  const url = await emptyDatabase(t)
  if (url === undefined) return
  const random = seededRandom(t)
  const [from, back] = [temporaryFolder(t), temporaryFolder(t)]
  const owners = ['a', 'b', 'c'].map((name) => createOwner(name, random))

  /** Moves a service while owners work, who then are refused changes but not visits; stops it. */
  async function moveUnderLoad(service: Service, source: string, target: string): Promise<void> {
    const over = new AbortController()
    const work = Promise.all(owners.map((owner) => owner.work(service.url, () => over.signal.aborted, PACE_MS)))
    await poll(() => owners.every(({ links }) => links.length >= 10))
    assert.match(await migrated(source, target), /changes are refused since \d/)
    for (const { statuses } of owners) statuses.clear()
    await poll(() => owners.every(({ statuses }) => statuses.has(503) && (statuses.has(302) || statuses.has(410))))
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
    over.abort()
    await work
    service.process.kill('SIGTERM')
    assert.deepEqual(await exitOf(service), { code: 0, signal: null })
  }

  const sqlite = await start(t, from, UNLIMITED)
  await moveUnderLoad(sqlite, from, url)
  assert.ok(journalOf(from).length > 0, 'the last visits wait in the journal')
  const node = await start(t, from, UNLIMITED, { env: { DATABASE_URL: url } })
  await moveUnderLoad(node, url, back)
  cpSync(join(from, 'journal'), join(back, 'journal'), { recursive: true })
  const last = await start(t, back, UNLIMITED)
  for (const owner of owners) await owner.repeat(last.url)
  for (const owner of owners) await owner.visitOften(last.url)
  await stopWhenFolded(last)
  compareStored(back, owners, { newAgain: true })
})

/** Runs the command as an operator does, and resolves when it is over. */
function startMove(from: string, to: string) {
  const child = spawn(process.execPath, [program, 'migrate', `--from=${from}`, `--to=${to}`], { cwd: '/' })
  let said = ''
  child.stderr.on('data', (data: Buffer) => (said += data.toString()))
  return once(child, 'exit').then(([status]) => ({ status: status as number | null, said }))
}

/** Waits until a service refuses changes, as it does at the end of a move. */
async function untilHeld(service: Service, token: string): Promise<void> {
  const change = (title: number) => put(`${service.url}/api/manage/${token}`, { title: `title ${title}` })
  let changes = 0
  await poll(async () => (await change(++changes)).status === 503)
}

/** Whoever locks a copy in the newest database. */
const LOCKED = `from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`

/** Asserts that a move has said in one line that it has ended, and why. */
function assertEnded({ status, said }: { status: number | null; said: string }, why: RegExp): void {
  assert.equal(status, 1, said)
  // Progress is written over.
  const lines = said.split(/[\r\n]/).filter((line) => line.includes('quirl: '))
  assert.equal(lines.length, 1, said)
  assert.match(
    said,
    /the move has ended, because .*: the copy is not complete, and the old store goes on; run the command again/,
  )
  assert.match(said, why)
}

test('a move ends at once when the service that waits for it is gone, although PostgreSQL does not answer', async (t) => {
  const url = await emptyDatabase(t)
  const running = await server
  if (url === undefined || running === undefined) return
  const proxy = await startProxy(t, running.socket)
  const target = `postgres://${running.user}@127.0.0.1:${proxy.port}/${databaseOf(url)}`
  const service = await start(t, temporaryFolder(t), UNLIMITED)
  const { token } = await create(service, { target: 'https://example.com/' })
  // The comparison of each table takes some time then.
  proxy.delay(2)
  const moving = startMove(service.dataDir, target)
  await untilHeld(service, token)
  proxy.cut()
  service.process.kill('SIGKILL')
  assertEnded(await moving, /no longer waits for it/)
  await assert.rejects(openPostgres({ url, max: 2 }, Date.now), /copy that is not complete/)
  // PostgreSQL does not know yet that the other side of the cut connection is gone.
  proxy.fail(undefined)
  await poll(async () => (await execute(`select ${LOCKED}`)).length === 0)
  assert.match(await migrated(service.dataDir, url), /1 links/)
})

test('a move ends when the network to the store that waits for it is cut, and that store goes on', async (t) => {
  const url = await emptyDatabase(t)
  const running = await server
  if (url === undefined || running === undefined) return
  const proxy = await startProxy(t, running.socket)
  const node = await start(t, undefined, UNLIMITED, { env: { DATABASE_URL: url } })
  const { token } = await create(node, { target: 'https://example.com/' })
  const folder = join(temporaryFolder(t), 'moved')
  proxy.delay(2)
  const moving = startMove(`postgres://${running.user}@127.0.0.1:${proxy.port}/${databaseOf(url)}`, folder)
  await untilHeld(node, token)
  proxy.cut()
  assertEnded(await moving, /it was not renewed in time/)
  await poll(async () => (await put(`${node.url}/api/manage/${token}`, { title: 'later' })).status === 200)
  await assert.rejects(startServer(t, { DATA_DIR: folder }), /copy that is not complete/)
  // PostgreSQL may take hours to notice that the reader of the first copy is gone, in its transaction.
  const reader = openPostgresSession({ url, max: 1, isPatient: true })
  undoLater(t, () => reader.close())
  for (const statement of ['begin', 'select from links', 'select from quirl_scans.scans']) await reader.query(statement)
  await migrated(url, folder)
  assert.match(String(rowsOf(join(folder, 'links.db'))['links']), /later/)
})

test('a move that is given up keeps nobody waiting, also beside who reads for a long time', async (t) => {
  const url = await emptyDatabase(t)
  if (url === undefined) return
  const node = await start(t, undefined, UNLIMITED, { env: { DATABASE_URL: url } })
  const { token } = await create(node, { target: 'https://example.com/' })
  const source = await openPostgresSource(url)
  await source.holdScans()
  await source.holdChanges()
  assert.equal((await put(`${node.url}/api/manage/${token}`, { title: 'refused' })).status, 503)
  const reader = openPostgresSession({ url, max: 1, isPatient: true })
  undoLater(t, () => reader.close())
  for (const statement of ['begin', 'select from links']) await reader.query(statement)
  await source.close()
  assert.equal((await put(`${node.url}/api/manage/${token}`, { title: 'taken' })).status, 200)
})

test('a move ends when its lock of the copy is lost, and the service goes on', async (t) => {
  const url = await emptyDatabase(t)
  const running = await server
  if (url === undefined || running === undefined) return
  const proxy = await startProxy(t, running.socket)
  const service = await start(t, temporaryFolder(t), UNLIMITED)
  const { token } = await create(service, { target: 'https://example.com/' })
  proxy.delay(2)
  const moving = startMove(service.dataDir, `postgres://${running.user}@127.0.0.1:${proxy.port}/${databaseOf(url)}`)
  await untilHeld(service, token)
  await execute(`select pg_terminate_backend(pid) ${LOCKED}`)
  assertEnded(await moving, /the connection that locks the copy was lost/)
  assert.equal((await put(`${service.url}/api/manage/${token}`, { title: 'goes on' })).status, 200)
})

const journalOf = (folder: string) => readdirSync(join(folder, 'journal')).filter((name) => name.endsWith('.scans'))

test('what cannot be moved is refused with one line, which has no password', async (t) => {
  const url = await emptyDatabase(t)
  if (url === undefined) return
  const folder = temporaryFolder(t)
  const empty = temporaryFolder(t)
  await fillStore(folder, seededRandom(t), 10)
  const secret = 'postgres://quirl:hunter2@127.0.0.1:9/none'
  for (const line of [await refused(folder, secret), await refused(secret, empty)]) {
    assert.match(line, /connect ECONNREFUSED 127\.0\.0\.1:9/)
    assert.ok(!line.includes('hunter2'), line)
  }
  const cases: [from: string, to: string, line: RegExp][] = [
    [folder, empty, /one of --from and --to must be a folder/],
    [url, url, /one of --from and --to must be a folder/],
    [folder, 'mysql://a:hunter2@b/c', /a store is a folder, or a URL/],
    [empty, url, /has no links\.db: name the folder/],
    [url, empty, /the database of --from has no links of quirl/],
    [folder, `${url}&user=nobody`, /--to cannot be used: role "nobody" does not exist/],
    [folder, url.replace(/move_\d+/, 'missing'), /--to cannot be used: database "missing" does not exist/],
    [folder, 'postgres://quirl:hunter2@[', /--to cannot be used/],
  ]
  for (const [from, to, line] of cases) {
    const text = await refused(from, to)
    assert.match(text, line)
    assert.ok(!text.includes('hunter2'), text)
  }
  await execute(`create role reader login; revoke all on schema public from public`)
  await execute(`revoke create on database move_${databases} from public`)
  assert.match(await refused(folder, url.replace('user=quirl', 'user=reader')), /permission denied for/)
  // None of these has left anything behind.
  await migrated(folder, url)
  assert.match(await refused(url, folder), /has a scans\.db already: move it away/)
  const other = temporaryFolder(t)
  await fillStore(other, seededRandom(t), 10)
  assert.match(await refused(other, url), /has a store already: name an empty one/)
})

test('a dump of PostgreSQL that is taken under load has everything that was answered before', async (t) => {
  const url = await emptyDatabase(t)
  const copy = await emptyDatabase(t)
  if (url === undefined || copy === undefined || !requireProgram(t, 'pg_dump', 'postgresql-client')) return
  // Answers have the port.
  const flags = [...UNLIMITED, `--port=${await freePort()}`]
  const node = await start(t, undefined, flags, { env: { DATABASE_URL: url } })
  const links = [
    await create(node, { target: 'https://example.com/', alias: 'Menu', title: 'The menu' }),
    await create(node, { kind: 'vcard', firstName: 'Ada', org: 'Example' }),
    await create(node, { target: 'https://example.com/', alias: 'gone' }),
  ]
  for (const { code } of links) await visit(`${node.url}/${code}?qr=1`, { 'user-agent': 'Mozilla/5.0 Firefox/140.0' })
  const [menu, , gone] = links
  await put(`${node.url}/api/manage/${menu?.token}`, { target: 'https://example.com/new' })
  await fetch(`${node.url}/api/manage/${gone?.token}`, { method: 'DELETE' })
  await poll(async () => /^quirl_journal_backlog_bytes 0$/m.test(await (await fetch(`${node.url}/metrics`)).text()))
  const paths = links.flatMap(({ code, token }) => [
    `/api/manage/${token}`,
    `/api/manage/${token}/history`,
    `/api/manage/${token}/scans.csv`,
    `/${code}/qr.svg`,
  ])
  const answers = (service: Service) =>
    Promise.all(
      paths.map(async (path) => {
        let response = await visit(service.url + path)
        // A busy machine refuses what has waited for a second, as it should; a client comes again.
        await poll(async () => {
          if (response.status === 503) response = await visit(service.url + path)
          return response.status !== 503
        })
        // Another node may have folded later than this one.
        const text = (await response.text()).replaceAll(/"request_id":"[^"]*"|,"as_of":"[^"]*"/g, '')
        return `${path} ${response.status} ${text}`
      }),
    )
  const before = await answers(node)
  const owner = createOwner('load', seededRandom(t))
  const over = new AbortController()
  const load = owner.work(node.url, () => over.signal.aborted, PACE_MS)
  await poll(() => owner.links.length >= 5)

  const known = [...owner.links].map(({ code }) => code)
  const refusal = await outcomeOf(['backup', '/nonexistent', `--database-url=${url}`])
  const command = /pg_dump .*$/m.exec(refusal.stderr)?.[0] ?? ''
  const folder = temporaryFolder(t)
  const run = (line: string, database: string) => {
    const env = { ...process.env, DATABASE_URL: database }
    const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: folder, env, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    return stdout
  }
  run(command, url)
  over.abort()
  await load
  assert.doesNotMatch(run('pg_restore --list quirl.dump', url), /quirl_visitors|quirl_limits| salt_\d| keys_\d/)
  const restoring = await outcomeOf(['restore', '/nonexistent', `--database-url=${copy}`])
  run(/pg_restore .*$/m.exec(restoring.stderr)?.[0] ?? '', copy)
  for (const database of [url, copy]) {
    const { status, stdout, stderr } = await outcomeOf([
      'verify',
      `--database-url=${database}`,
      `--data-dir=${node.dataDir}`,
    ])
    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, /^counts +good +the counts of each link are consistent/m)
  }
  node.process.kill('SIGTERM')
  await exitOf(node)
  const schemas = await execute("select nspname from pg_namespace where nspname like 'quirl%'", databaseOf(url))
  for (const { nspname } of schemas)
    assert.ok(nspname === 'quirl_scans' || leftOutSchemas[String(nspname)] !== undefined)
  const again = await start(t, undefined, flags, { env: { DATABASE_URL: copy } })
  assert.deepEqual(await answers(again), before)
  // A pause that came later is 404 as well: a visit of a code that exists, or did, is never the page of an unknown one.
  for (const code of known) assert.equal((await fetch(`${again.url}/api/links/${code}/available`)).status, 200)
})

test('quirl verify finds what is wrong in PostgreSQL', async (t) => {
  const url = await emptyDatabase(t)
  if (url === undefined) return
  const verify = () => outcomeOf(['verify', `--database-url=${url}`, '--data-dir=/nonexistent'])
  assert.match((await verify()).stderr, /^quirl: the database of DATABASE_URL has no links of quirl\n$/)
  const server = await startServer(t, { DATABASE_URL: url })
  const { code } = await create(server, { target: 'https://example.com/' })
  await visit(`${server.url}/${code}`)
  await server.services.scans.fold()
  await server.stop()
  const fine = await verify()
  assert.equal(fine.status, 0, fine.stdout + fine.stderr)
  await execute('update quirl_scans.quarter_hourly set humans = humans + 1')
  assert.match((await verify()).stdout, /^counts +BAD +the counts of 1 link .* are inconsistent$/m)
  await execute('delete from links')
  const { status, stdout } = await verify()
  assert.match(stdout, /^orphans +BAD +there are scans of 1 link .* that do not exist$/m)
  assert.equal(status, 1)
})
