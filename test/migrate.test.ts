import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { migratePostgres, openPostgres } from '../src/db/postgres.ts'
import { openPostgresSession } from '../src/db/postgres-session.ts'
import { migrateScans } from '../src/scans/postgres/migrations.ts'
import { leftOut, planOf } from '../src/moving/plan.ts'
import { openPostgresStore } from '../src/moving/postgres-store.ts'
import { openSqliteStore } from '../src/moving/sqlite-store.ts'
import { nameOf } from '../src/moving/table.ts'
import { endOfFile, temporaryFolder } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { fillStore, rowsOf } from './support/filled-stores.ts'
import { createOwner } from './support/owner.ts'
import { compareStored } from './support/owners.ts'
import { poll } from './support/poll.ts'
import { addressOf, startPostgres, urlOf, type PostgresServer } from './support/postgres.ts'
import { exitOf, start, type Service } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { seededRandom } from './support/random.ts'
import { startServer } from './support/server.ts'
import { stopWhenFolded, UNLIMITED } from './support/workload.ts'

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

/** Runs SQL in the newest database. */
async function execute(statement: string): Promise<Record<string, unknown>[]> {
  return (await (await server)?.execute(statement, `move_${databases}`))?.rows ?? []
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
    ] as const)
      assert.ok(plan.indexOf(child) > plan.indexOf(parent), child)
  } finally {
    await sqlite.close()
    await postgres.close()
  }
})

test('a store of 10,000 links comes back from PostgreSQL as it was, and counts on', async (t) => {
  const url = await emptyDatabase(t)
  if (url === undefined) return
  const [from, back] = [temporaryFolder(t), temporaryFolder(t)]
  await fillStore(from, seededRandom(t), 10_000)
  const links = new DatabaseSync(join(from, 'links.db'))
  links.exec("update sqlite_sequence set seq = 5000000000 where name = 'outbox'")
  links.close()
  assert.match(await migrated(from, url), /among them 10,000 links\nNow set DATABASE_URL/)
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
  const program = new URL('support/migrate-until.ts', import.meta.url).pathname
  const killed = (source: string, target: string, most: number) => {
    const pages = Math.floor(random() * most)
    t.diagnostic(`killed after ${pages} pages`)
    const { signal, stderr } = spawnSync(process.execPath, [program, source, target, String(pages)], {
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
    const work = Promise.all(owners.map((owner) => owner.work(service.url, () => over.signal.aborted, 5)))
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

  const embedded = await start(t, from, UNLIMITED)
  await moveUnderLoad(embedded, from, url)
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
