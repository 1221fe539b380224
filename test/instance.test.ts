import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { StartError } from '../src/lib/start-error.ts'
import { openJournalFile } from '../src/scans/journal/journal-file.ts'
import { command, quirl } from './support/cli.ts'
import { temporaryFolder, type Ending } from './support/cleanup.ts'
import { filesBelow } from './support/files.ts'
import { linkIdOf, linksIn } from './support/link-id.ts'
import { poll } from './support/poll.ts'
import { run } from './support/processes.ts'
import { exitOf, program, start } from './support/program.ts'
import { create, startServer, visit, type Created, type TestServer } from './support/server.ts'
import { noValues } from './support/no-values.ts'

// The service on folders whose files do not belong together; the program, where the process matters.

type Service = Pick<TestServer, 'url'>

/** Creates links and visits each as many times as given. */
async function createVisited(service: Service, links: number, visits: number): Promise<Created[]> {
  const created: Created[] = []
  for (let at = 0; at < links; at++) {
    const link = await create(service, { target: 'https://example.com/' })
    for (let times = 0; times < visits; times++) await visit(`${service.url}/${link.code}`)
    created.push(link)
  }
  return created
}

async function scansOf(service: Service, { token }: Created): Promise<number> {
  const details = (await (await fetch(`${service.url}/api/manage/${token}`)).json()) as { totals: { scans: number } }
  return details.totals.scans
}

const allScansOf = (service: Service, links: Created[]) => Promise.all(links.map((link) => scansOf(service, link)))

const startOn = (t: Ending, dataDir: string) => startServer(t, { DATA_DIR: dataDir })

/** Makes the folder of a stopped service with some visited links. */
async function makeFolder(t: Ending, links = 3): Promise<{ dataDir: string; links: Created[] }> {
  const server = await startServer(t)
  const created = await createVisited(server, links, 2)
  assert.deepEqual(new Set(await allScansOf(server, created)), new Set([2]))
  await server.stop()
  return { dataDir: server.dataDir, links: created }
}

/** Replaces a database with a copy, as an operator does. */
function putInPlace(copy: string, file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  copyFileSync(copy, file)
}

/** The data in a folder: without SQLite's index of the write-ahead log, which any reader recreates, and empty files. */
const dataIn = (dataDir: string) =>
  filesBelow(dataDir)
    .filter(({ name, bytes }) => !name.endsWith('-shm') && name !== 'sums.json' && bytes.length > 0)
    .map(({ name, bytes }) => [name, bytes.toString('base64')])
    .sort()

/** The one line with which a start is refused; asserts that it changes no file but the one that it may migrate. */
async function refusalOf(t: Ending, dataDir: string, updated?: string): Promise<string> {
  const files = () => dataIn(dataDir).filter(([name]) => name !== updated)
  const before = files()
  const refusal = await startOn(t, dataDir).catch((error: unknown) => error)
  assert.ok(refusal instanceof StartError, String(refusal))
  assert.doesNotMatch(refusal.message, /\n/)
  assert.deepEqual(files(), before)
  return refusal.message
}

/** The output of the program when it refuses to start; asserts one line, the exit status, and that no file changes. */
async function refusalOfProgram(dataDir: string): Promise<string> {
  const before = dataIn(dataDir)
  const { status, stdout, stderr } = await quirl(dataDir, 'serve', '--port=0', '--host=127.0.0.1')
  assert.deepEqual({ status, stdout }, { status: 1, stdout: '' })
  // The log also lists the files that have changed.
  const [line, ...more] = stderr.split('\n').filter((each) => !each.startsWith('{"level":50'))
  assert.match(line ?? '', /^quirl: /)
  assert.deepEqual([more, dataIn(dataDir)], [[''], before])
  return stderr
}

function change(file: string, sql: string): void {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

/** Asserts that new links have only the scans of their own visits, and old links still have theirs. */
async function checkScansBelong(service: Service, old: Created[]): Promise<void> {
  const created = await createVisited(service, 30, 0)
  assert.deepEqual(new Set(await allScansOf(service, created)), new Set([0]))
  for (const link of created) await visit(`${service.url}/${link.code}`)
  assert.deepEqual(new Set(await allScansOf(service, created)), new Set([1]))
  assert.deepEqual(new Set(await allScansOf(service, old)), new Set([2]))
}

test('an older links.db beside newer scans prevents the start; "adopt" removes the scans of lost links, and new links do not get them', async (t) => {
  const { dataDir, links } = await makeFolder(t)
  const file = join(dataDir, 'links.db')
  copyFileSync(file, join(dataDir, 'copy'))
  const second = await start(t, dataDir)
  const lost = await createVisited(second, 25, 3)
  assert.equal(await scansOf(second, lost[0] as Created), 3)
  second.process.kill('SIGTERM')
  assert.equal((await exitOf(second)).code, 0)
  putInPlace(join(dataDir, 'copy'), file)

  assert.match(await refusalOfProgram(dataDir), /scans\.db does not match links\.db .*newer.*"quirl adopt"/)
  const before = dataIn(dataDir)
  const elsewhere = await command(dataDir, 'adopt', '--database-url=postgres://localhost/quirl')
  assert.match(elsewhere.stderr, /with DATABASE_URL see "quirl journal adopt"/)
  const preview = await command(dataDir, 'adopt')
  assert.equal(preview.status, 0, preview.stderr)
  assert.match(
    preview.stdout,
    /Of the links with scans, 3 are or were in links\.db; 25 are unknown to it\.\nNothing was changed/,
  )
  assert.deepEqual(dataIn(dataDir), before)
  const adopted = await command(dataDir, 'adopt', '--yes')
  assert.match(adopted.stdout, /removes the scans of 25 links/, adopted.stderr)
  assert.match((await command(dataDir, 'adopt')).stdout, /nothing to discard/)

  const service = await start(t, dataDir)
  await poll(() => linksIn(dataDir).length === 3)
  await checkScansBelong(service, links)
})

test('an older scans.db that returns after new links were created prevents the start, and no link gets its scans', async (t) => {
  const { dataDir, links } = await makeFolder(t)
  const [file, scans, aside] = ['links.db', 'scans.db', 'aside'].map((name) => join(dataDir, name)) as [
    string,
    string,
    string,
  ]
  copyFileSync(file, join(dataDir, 'copy'))
  const second = await startOn(t, dataDir)
  const lost = await createVisited(second, 5, 3)
  assert.equal(await scansOf(second, lost[0] as Created), 3)
  await second.stop()
  putInPlace(join(dataDir, 'copy'), file)
  renameSync(scans, aside)
  const third = await startOn(t, dataDir)
  assert.ok(third.logged.some(({ msg }) => /scans\.db is missing/.test(String(msg))))
  const made = await createVisited(third, 10, 0)
  await third.stop()
  putInPlace(aside, scans)

  assert.match(await refusalOf(t, dataDir), /scans\.db does not match links\.db/)
  assert.equal((await command(dataDir, 'adopt', '--yes')).status, 0)
  const fourth = await startOn(t, dataDir)
  assert.deepEqual(new Set(await allScansOf(fourth, made)), new Set([0]))
  await checkScansBelong(fourth, links)
})

test('the service does not start without links.db, and changes neither folded nor journalled scans', async (t) => {
  const { dataDir, links } = await makeFolder(t)
  const file = join(dataDir, 'links.db')
  const copy = join(temporaryFolder(t), 'copy')
  renameSync(file, copy)
  assert.match(await refusalOf(t, dataDir), /holds scans but no links\.db/)
  assert.equal(existsSync(file), false)
  writeFileSync(file, '')
  assert.match(await refusalOf(t, dataDir), /holds scans but no links\.db/)
  assert.match((await command(dataDir, 'adopt', '--yes')).stderr, /holds scans but no links\.db/)

  const scans = readScans(dataDir)
  rmSync(join(dataDir, 'scans.db'))
  writeFileSync(join(dataDir, 'journal', '0.scans'), 'a visit')
  assert.match(await refusalOf(t, dataDir), /holds scans but no links\.db/)
  rmSync(join(dataDir, 'journal', '0.scans'))

  writeFileSync(join(dataDir, 'scans.db'), scans)
  putInPlace(copy, file)
  assert.deepEqual(await allScansOf(await startOn(t, dataDir), links), [2, 2, 2])
})

const readScans = (dataDir: string) => filesBelow(dataDir).find(({ name }) => name === 'scans.db')?.bytes ?? ''

test("another instance's links.db or scans.db prevents the start", async (t) => {
  const [one, other] = [await makeFolder(t), await makeFolder(t)]
  for (const name of ['links.db', 'scans.db']) {
    const [mine, copy] = [join(one.dataDir, name), join(one.dataDir, 'mine')]
    copyFileSync(mine, copy)
    putInPlace(join(other.dataDir, name), mine)
    assert.match(await refusalOf(t, one.dataDir), /its scans belong to another links\.db/)
    putInPlace(copy, mine)
  }
  const service = await startOn(t, one.dataDir)
  assert.deepEqual(await allScansOf(service, one.links), [2, 2, 2])
})

test('scans of many links that links.db does not know prevent the start; those of a few are kept and logged', async (t) => {
  const { dataDir, links } = await makeFolder(t, 40)
  const [file, copy] = [join(dataDir, 'links.db'), join(dataDir, 'copy')]
  copyFileSync(file, copy)
  const lose = (count: number) => {
    const ids = links.slice(0, count).map((link) => linkIdOf(dataDir, link))
    change(file, `delete from links where id in (${ids.join()})`)
  }
  lose(11)
  assert.match(await refusalOf(t, dataDir), /does not know 11 of 40 links/)
  putInPlace(copy, file)
  lose(10)
  const service = await startOn(t, dataDir)
  const logged = () => service.logged.find(({ msg }) => /links that links\.db does not know have/.test(String(msg)))
  await poll(() => logged() !== undefined)
  assert.equal(logged()?.['count'], 10)
  assert.equal(linksIn(dataDir).length, 40)
  await service.stop()
  assert.equal((await command(dataDir, 'adopt', '--yes')).status, 0)
  await startOn(t, dataDir)
  await poll(() => linksIn(dataDir).length === 30)
})

test('the service starts with an older scans.db: missing scans stay lost, and scans of links deleted since are removed again', async (t) => {
  const { dataDir, links } = await makeFolder(t)
  const [scans, copy] = [join(dataDir, 'scans.db'), join(dataDir, 'copy')]
  copyFileSync(scans, copy)
  const second = await startOn(t, dataDir)
  const [deleted, ...left] = links as [Created, ...Created[]]
  const id = linkIdOf(dataDir, deleted)
  assert.equal((await fetch(`${second.url}/api/manage/${deleted.token}`, { method: 'DELETE' })).status, 200)
  const newer = await createVisited(second, 2, 2)
  await poll(() => !linksIn(dataDir).includes(id))
  await second.stop()
  putInPlace(copy, scans)
  assert.ok(linksIn(dataDir).includes(id))
  const third = await startOn(t, dataDir)
  await poll(() => !linksIn(dataDir).includes(id))
  assert.deepEqual(await allScansOf(third, left), [2, 2])
  assert.deepEqual(await allScansOf(third, newer), [0, 0])
})

/** Copies of an empty folder as kill -9 leaves it during a first start: the program is paused for a copy after each file event. */
async function copiesOfFirstStart(t: Ending): Promise<string[]> {
  const [dataDir, copies] = [temporaryFolder(t), temporaryFolder(t)]
  const states = new Map<string, string>()
  let taken = 0
  const started = run(t, process.execPath, [program, '--port=0', '--host=127.0.0.1', `--data-dir=${dataDir}`])
  const watcher = watch(dataDir, { recursive: true }, () => {
    started.process.kill('SIGSTOP')
    const copy = join(copies, String(taken++))
    for (const { name, bytes } of filesBelow(dataDir)) {
      mkdirSync(dirname(join(copy, name)), { recursive: true })
      writeFileSync(join(copy, name), bytes)
    }
    const state = filesBelow(copy).map(({ name, bytes }) => `${name} (${bytes.length})`)
    states.set(state.join(' '), copy)
    started.process.kill('SIGCONT')
  })
  await poll(() => started.output().includes('serves'))
  watcher.close()
  await started.stop()
  return [...states.values()]
}

test('the service starts on whatever kill -9 leaves of a first start', async (t) => {
  const copies = await copiesOfFirstStart(t)
  for (const dataDir of copies) {
    t.diagnostic(
      filesBelow(dataDir)
        .map(({ name, bytes }) => `${name} (${bytes.length})`)
        .join(' '),
    )
    const server = await startOn(t, dataDir)
    const [link] = (await createVisited(server, 1, 1)) as [Created]
    assert.equal(await scansOf(server, link), 1)
    await server.stop()
  }
  assert.ok(copies.length >= 5, `only ${copies.length}`)
})

test('no other link gets the scans of a link whose creation a power loss undid', async (t) => {
  const { dataDir, links } = await makeFolder(t)
  const lost = Math.max(...links.map((link) => linkIdOf(dataDir, link))) + 1
  const journal = openJournalFile(join(dataDir, 'journal', '0.scans'), false)
  const unknown = { device: null, os: null, browser: null, country: null, city: null, referrer: null, visitor: null }
  const scan = {
    ...noValues,
    linkId: lost,
    at: Date.now(),
    answer: null,
    source: 'qr',
    bot: false,
    ...unknown,
  } as const
  // Enough that the test creates links while they are folded.
  for (let line = 0; line < 100; line++) journal.append(Array.from({ length: 1000 }, () => scan))
  journal.close()
  const server = await startOn(t, dataDir)
  await checkScansBelong(server, links)
  assert.ok(linksIn(dataDir).includes(lost))
})

/** Reverts a folder to the version before the instance check, with the link ids that it would have had. */
function makeOld(dataDir: string): void {
  const [links, scans] = [new DatabaseSync(join(dataDir, 'links.db')), new DatabaseSync(join(dataDir, 'scans.db'))]
  const ids = links.prepare('select id from links order by id').all() as { id: number }[]
  for (const [at, { id }] of ids.entries()) {
    links.exec(`update links set id = ${at + 1} where id = ${id}`)
    for (const table of ['scans', 'quarter_hourly', 'daily', 'monthly', 'totals']) {
      scans.exec(`update ${table} set link_id = ${at + 1} where link_id = ${id}`)
    }
  }
  links.exec(`
    drop index links_next_token_hash;
    drop index links_created_at;
    alter table links drop column next_token_hash;
    alter table links drop column rotated_at;
    drop table revisions;
    alter table links drop column rules;
    alter table links drop column password;
    drop table shares;
    drop table creation_keys;
    drop table outbox;
    drop table webhooks;
    alter table domains drop column fault_findings;
    alter table links drop column warned_at;
    alter table links drop column warned_reason;
    alter table links drop column reported_at;
    alter table links drop column reported_reason;
    alter table links drop column reported_networks;
    alter table links drop column placements;
    drop index links_deleted_at;
    alter table links drop column deleted_at;
    alter table links drop column rekeyed_at;
    drop table reporters;
    drop table reporter_salts;
    alter table domains drop column proof_wanted;
    drop table page_names;
    alter table issuances drop column registrable;
    alter table issuances drop column client;
    alter table acme_orders drop column registrable;
    alter table acme_orders drop column client;
    alter table acme_orders drop column purpose;
    alter table acme_orders drop column proven;
    drop index reports_untold_at;
    alter table reports drop column untold_at;
    drop index certificates_registrable;
    alter table certificates drop column registrable;
    alter table certificates drop column first_at;
    drop index domains_allocation;
    alter table domains drop column allocation;
    alter table domains drop column network;
    alter table domains drop column client;
    drop table salts;
    alter table sweeps drop column requests;
    alter table links rename column removed_expression to removed_entry;
    alter table rules rename column expression to entry;
    alter table rules rename to entries;
    drop index idempotency_keys_created_at;
    alter table idempotency_keys rename column response to sealed;
    alter table idempotency_keys rename to replays;
    create index replays_created_at on replays (created_at);
    insert into codes select code_key from links;
    drop table leases;
    drop table collection_outbox;
    drop table collection_webhooks;
    drop table collection_shares;
    drop table looks;
    drop table collections;
    drop table memberships;
    alter table links drop column rotated_through;
    drop table clock;
    drop index issuances_queued_at;
    alter table issuances drop column queued_at;
    alter table issuances drop column interruptions;
    alter table issuances add column holder text not null default '';
    alter table issuances add column held_until bigint not null default 0;
    drop table instance;
    drop table deletions;
    delete from migrations where number >= (select number from migrations where name = 'instance');
    alter table migrations drop column only_adds`)
  scans.exec(`
    alter table scans drop column answer;
    alter table scans drop column placement;
    alter table totals drop column people_again;
    alter table quarter_hourly rename to pulse;
    alter table dictionary rename to words;
    drop table instance;
    drop table imported;
    drop table unused;
    drop table raw_missing;
    pragma user_version = 2`)
  for (const db of [links, scans]) db.close()
}

test('a folder of a version before the instance check is migrated, unless its links are older than its scans', async (t) => {
  const { dataDir, links } = await makeFolder(t)
  makeOld(dataDir)
  rmSync(join(dataDir, 'sums.json'))
  const copies = ['links.db', 'scans.db'].map((name) => ({
    file: join(dataDir, name),
    copy: join(dataDir, `${name}-copy`),
  }))
  for (const { file, copy } of copies) copyFileSync(file, copy)
  const server = await startOn(t, dataDir)
  await checkScansBelong(server, links)
  assert.deepEqual(server.logged, [])
  await server.stop()
  for (const { file, copy } of copies) putInPlace(copy, file)
  change(join(dataDir, 'links.db'), 'delete from links where id = 3')
  assert.match(await refusalOf(t, dataDir, 'links.db'), /scans\.db does not match links\.db/)
})
