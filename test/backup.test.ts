import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fc } from './support/fast-check.ts'
import { backUp } from '../src/backup/backup.ts'
import { adopt } from '../src/cli/adopt.ts'
import { createOperatorClient } from '../src/operator/client.ts'
import { backup } from '../src/cli/backup.ts'
import type { Command, CommandResult } from '../src/cli/command.ts'
import { restore } from '../src/cli/restore.ts'
import { verify } from '../src/cli/verify.ts'
import { StartError } from '../src/lib/start-error.ts'
import { temporaryFolder, undoLater, type Ending } from './support/cleanup.ts'
import { command as ran, quirl } from './support/cli.ts'
import { buildFaults } from './support/faults.ts'
import { scrape } from './support/metrics.ts'
import { poll } from './support/poll.ts'
import { freePort } from './support/ports.ts'
import { exitOf, program, start, type Service } from './support/program.ts'
import { skipUnlessCi } from './support/programs.ts'
import { create, post, put, startServer, visit, type Created } from './support/server.ts'
import { smallDisk, type SmallDisk } from './support/small-disk.ts'

const limits = ['links', 'changes', 'bulk', 'aliases', 'qr', 'failures', 'misses', 'domains'].map(
  (name) => `--limit-${name}=0`,
)
const begin = (t: Ending, dataDir?: string, port = 0) =>
  start(t, dataDir, [`--port=${port}`, '--trust-proxy=127.0.0.1', ...limits])

const TARGET = 'https://example.com/'
/** The address of a link's visitors: of each one, 64 new referrers of a day are told apart. */
const addressOf = (count: number) => `10.0.${count >> 12}.${(count >> 4) & 255}`
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'

/** The parts of a response that depend on the time of the request, among them the days without scans of a series. */
const ofNow = /"(?:request_id|checked_at|from|to)":"[^"]*",?|\{"date":"[^"]*","scans":0,"unique_visitors":0\},?/g

/** The service's responses for links that no longer change. */
async function responsesOf(service: Service, paths: string[]): Promise<string[]> {
  const responses = []
  for (const path of paths) {
    const response = await visit(service.url + path)
    const headers = ['location', 'etag', 'content-type'].map((name) => response.headers.get(name))
    const body = (await response.text()).replaceAll(ofNow, '')
    responses.push([path, response.status, ...headers, body].join('\n'))
  }
  return responses
}

/** Creates links of every kind and state. @returns the paths that show all their data */
async function makeHistory(service: Service): Promise<string[]> {
  const { url } = service
  const made = [
    await create(service, { target: TARGET, alias: 'Menu', title: 'The menu', utm: { utm_source: 'flyer' } }),
    await create(service, { kind: 'appstore', ios: `${TARGET}ios`, android: `${TARGET}android`, campaign: 'spring' }),
    await create(service, { kind: 'vcard', firstName: 'Ada', org: 'Example' }),
    await create(service, { kind: 'page', headline: 'Hello', links: [{ label: 'one', url: TARGET }] }),
    await create(service, { target: TARGET, alias: 'paused' }),
    await create(service, { target: TARGET, alias: 'deleted' }),
  ]
  for (const { code } of made)
    for (const at of [1, 2, 3])
      await visit(`${url}/${code}?qr=1`, { referer: `https://site${at}.example.com/`, 'user-agent': FIREFOX })
  const [menu, paused, deleted] = [made[0], made[4], made[5]]
  await put(`${url}/api/manage/${menu?.token}`, { target: `${TARGET}new`, title: 'Changed' })
  await put(`${url}/api/manage/${paused?.token}`, { active: false })
  await fetch(`${url}/api/manage/${deleted?.token}`, { method: 'DELETE' })
  const { token } = (await (await post(`${url}/api/domains`, { domain: 'qr.bakery.shop' })).json()) as { token: string }
  const ofLinks = made.flatMap(({ code, token }) => [
    `/api/manage/${token}`,
    `/api/manage/${token}/stats?days=30`,
    `/api/manage/${token}/scans.csv`,
    `/${code}/qr.svg`,
  ])
  return [...ofLinks, `/api/domains/qr.bakery.shop?token=${token}`, '/deleted', '/paused']
}

/** The requests that were sent, and those that were acknowledged. Edits of a link are numbered, visits have a referrer each. */
interface Known {
  links: { created: Created; sent: number; acknowledged: number }[]
  visits: { created: Created; sent: Set<string>; acknowledged: Set<string> }[]
}

/** Slow enough that the test can check every request, fast enough that some are always in progress. */
const PACE_MS = 5
const MOST_LINKS = 500

/** Creates, edits and visits concurrently until `stop` is called. */
function load(service: Service, known: Known): { stop: () => Promise<void> } {
  const state = { isOver: false }
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const lane = async (work: (turn: number) => Promise<void>) => {
    for (let turn = 0; !state.isOver; turn++) {
      await work(turn)
      await sleep(PACE_MS)
    }
  }
  const createOne = async () => {
    if (known.links.length >= MOST_LINKS) return
    known.links.push({ created: await create(service, { target: TARGET, title: 'edit 0' }), sent: 0, acknowledged: 0 })
  }
  const editOne = async (turn: number) => {
    const link = known.links[turn % known.links.length]
    if (link === undefined || link.sent !== link.acknowledged) return
    link.sent++
    const { status } = await put(`${service.url}/api/manage/${link.created.token}`, { title: `edit ${link.sent}` })
    assert.equal(status, 200)
    link.acknowledged = link.sent
  }
  const visitOne = (at: number, turn: number) =>
    new Promise<void>((done, failed) => {
      const { created, sent, acknowledged } = known.visits[at] ?? assert.fail()
      const name = `v${at}-${turn}-${sent.size}.example.com`
      const from = { 'x-forwarded-for': addressOf(sent.size), 'user-agent': FIREFOX }
      sent.add(name)
      get(
        `${service.url}/${created.code}?qr=1`,
        { agent, headers: { referer: `https://${name}/`, ...from } },
        (response) => {
          assert.equal(response.statusCode, 302)
          acknowledged.add(name)
          response.resume().once('close', done)
        },
      ).once('error', failed)
    })
  const lanes = [
    ...[1, 2, 3, 4].map(() => lane(createOne)),
    ...[1, 2].map(() => lane(editOne)),
    ...[0, 1, 2, 3, 0, 1, 2, 3].map((at) => lane((turn) => visitOne(at, turn))),
  ]
  return {
    async stop() {
      state.isOver = true
      await Promise.all(lanes)
      agent.destroy()
    },
  }
}

function inFolder(t: Ending, ...names: string[]): [string, string, string, string] {
  const folder = temporaryFolder(t)
  return names.map((name) => join(folder, name)) as [string, string, string, string]
}

/** The referrers in a link's `scans.csv`, and the number of scans in its totals. */
async function scansOf(service: Pick<Service, 'url'>, { token }: Created): Promise<{ names: string[]; total: number }> {
  const text = await (await fetch(`${service.url}/api/manage/${token}/scans.csv`)).text()
  const { totals } = (await (await fetch(`${service.url}/api/manage/${token}`)).json()) as { totals: { scans: number } }
  const rows = text.split('\r\n').slice(1, -1)
  return { names: rows.map((row) => row.split(',')[7] ?? ''), total: totals.scans }
}

const settled = (service: Pick<Service, 'url'>) =>
  poll(async () => /^quirl_journal_backlog_bytes 0$/m.test(await (await fetch(`${service.url}/metrics`)).text()))

async function succeed(dataDir: string, ...args: string[]): Promise<string> {
  const ran = await quirl(dataDir, ...args)
  assert.deepEqual({ ...ran, stdout: '' }, { status: 0, stdout: '', stderr: '' }, ran.stdout)
  return ran.stdout
}

/** Runs a command in this process, which is faster than starting another. */
async function runHere(dataDir: string, { run }: Command, ...args: string[]): Promise<CommandResult> {
  const context = {
    args,
    flags: {},
    set: { settings: [], unknown: [] },
    env: {},
    dataDir,
    databaseUrl: undefined,
    version: '1.2.3',
  }
  const result = await run({ ...context, call: createOperatorClient(dataDir) })
  return typeof result === 'string' ? { text: result, status: 0 } : result
}

async function refuse(dataDir: string, command: Command, words: string[], reason: RegExp): Promise<void> {
  await assert.rejects(runHere(dataDir, command, ...words), (error: Error) => {
    assert.ok(error instanceof StartError, String(error.stack))
    assert.match(error.message, reason)
    return true
  })
}

async function killed(service: Service): Promise<void> {
  service.process.kill('SIGKILL')
  await exitOf(service)
}

test('after a restore, every response is the same as before the backup, which was taken under load', async (t) => {
  const [folder, dataDir, elsewhere] = inFolder(t, 'backup', 'data', 'elsewhere')
  // Both services have the same origin, because responses contain it.
  const port = await freePort()
  const service = await begin(t, dataDir, port)
  const paths = await makeHistory(service)
  await settled(service)
  const before = await responsesOf(service, paths)
  const key = { 'idempotency-key': 'a-key-of-some-length' }
  const kept = await (await post(`${service.url}/api/links`, { target: TARGET }, key)).json()

  const visits = []
  for (let at = 0; at < 4; at++)
    visits.push({
      created: await create(service, { target: TARGET }),
      sent: new Set<string>(),
      acknowledged: new Set<string>(),
    })
  const known: Known = { links: [], visits }
  const loading = load(service, known)
  const isUnderWay = () => known.links.filter(({ acknowledged }) => acknowledged > 0).length > 10
  await poll(() => isUnderWay() && known.visits.every(({ acknowledged }) => acknowledged.size > 10))
  const edits = known.links.map(({ created, acknowledged }) => ({ created, acknowledged }))
  const scans = known.visits.map(({ acknowledged }) => new Set(acknowledged))
  const printed = await succeed(dataDir, 'backup', folder)
  await loading.stop()
  await killed(service)
  assert.ok(
    known.links.some(({ sent }, at) => sent > (edits[at]?.acknowledged ?? 0)),
    'no edit was sent during the backup',
  )
  assert.match(
    printed,
    /backup is a backup of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: [\d,]+ links, [\d,]+ scans, [\d.]+ MB\n$/,
  )

  await succeed(elsewhere, 'verify', folder)
  await succeed(elsewhere, 'restore', folder)
  const restored = await begin(t, elsewhere, port)
  for (const [at, answer] of (await responsesOf(restored, paths)).entries()) assert.equal(answer, before[at])
  assert.deepEqual(await (await post(`${restored.url}/api/links`, { target: TARGET }, key)).json(), kept)
  const checkEdit = async ({ created, acknowledged }: (typeof edits)[number]) => {
    const { sent } = known.links.find((each) => each.created === created) ?? assert.fail()
    const { title } = (await (await fetch(`${restored.url}/api/manage/${created.token}`)).json()) as { title: string }
    const edit = Number(title.split(' ')[1])
    assert.ok(edit >= acknowledged && edit <= sent, `${title} of ${acknowledged} to ${sent}`)
    assert.equal((await visit(`${restored.url}/${created.code}`)).headers.get('location'), TARGET)
  }
  // One after the other: admission control would refuse some of hundreds of requests at once.
  for (const edit of edits) await checkEdit(edit)
  for (const [at, { created, sent }] of known.visits.entries()) {
    const { names, total } = await scansOf(restored, created)
    const found = new Set(names)
    assert.deepEqual([names.length, total], [found.size, found.size], 'a scan is there twice, or not counted')
    assert.deepEqual(
      [...(scans[at] ?? [])].filter((name) => !found.has(name)),
      [],
      'an acknowledged visit is missing',
    )
    assert.deepEqual(
      [...found].filter((name) => !sent.has(name)),
      [],
      'a visit was recorded that nobody made',
    )
  }
  await succeed(elsewhere, 'verify')
  assert.equal(restored.output().includes('level'), false, restored.output())
})

test('only its owner can read a backup, it has no visitor keys, and sha256sum verifies it', async (t) => {
  const folder = join(temporaryFolder(t), 'backup')
  const server = await startServer(t)
  const { code } = await create(server, { target: TARGET })
  await visit(`${server.url}/${code}`)
  const takenAt = async () => (await scrape(server.url)).values.get('quirl_backup_timestamp_seconds')
  assert.equal(await takenAt(), 0)
  await runHere(server.dataDir, backup, folder)
  const { taken_at: at } = JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8')) as { taken_at: string }
  assert.equal(await takenAt(), Date.parse(at) / 1000)
  assert.deepEqual(readdirSync(folder).sort(), ['SHA256SUMS', 'backup.json', 'links.db', 'scans.db'])
  for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
  assert.equal(statSync(folder).mode & 0o777, 0o700)
  const checking = spawn('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: folder })
  assert.deepEqual(await once(checking, 'exit'), [0, null])
})

test('a backup has what can be brought back, and says so', async (t) => {
  const folder = join(temporaryFolder(t), 'backup')
  const server = await startServer(t)
  const [link] = [await create(server, { target: TARGET }), await create(server, { target: TARGET })]
  await visit(`${server.url}/${link.code}`)
  await fetch(`${server.url}/api/manage/${link.token}?undo=true`, { method: 'DELETE' })
  await runHere(server.dataDir, backup, folder)
  const { text } = await runHere(server.dataDir, verify, folder)
  assert.match(text, /1 link, 1 deleted link that can be brought back, 2 codes/)
  assert.doesNotMatch(text, /FAULT|unknown/)
  await server.stop()
  const elsewhere = join(temporaryFolder(t), 'data')
  await runHere(elsewhere, restore, folder)
  const restored = await startServer(t, { DATA_DIR: elsewhere })
  const back = await fetch(`${restored.url}/api/manage/${link.token}/undelete`, { method: 'POST' })
  assert.equal(back.status, 200)
  assert.equal(((await back.json()) as { totals: { scans: number } }).totals.scans, 1)
})

test('a backup whose time cannot be noted is complete, and says so', async (t) => {
  const folder = join(temporaryFolder(t), 'backup')
  const server = await startServer(t)
  mkdirSync(join(server.dataDir, 'last-backup.json.new'))
  const { warning = '', status } = await runHere(server.dataDir, backup, folder)
  assert.match(warning, /^its time could not be noted in .* for the metrics: EISDIR/)
  assert.equal(status, 0)
  await runHere(server.dataDir, verify, folder)
})

test('a backup after a kill has the journalled visits, and each counts once', async (t) => {
  const [folder, elsewhere] = inFolder(t, 'backup', 'elsewhere')
  const service = await begin(t)
  const link = await create(service, { target: TARGET })
  await visitOften(service, link)
  await killed(service)
  await runHere(service.dataDir, backup, folder)
  await runHere(elsewhere, restore, folder)
  // The journal that was copied still exists.
  for (const DATA_DIR of [elsewhere, service.dataDir]) await assertCounted(await startServer(t, { DATA_DIR }), link)
})

test('a backup has the journal while scans.db is locked, and each scan counts once after the restore', async (t) => {
  const [folder, elsewhere] = inFolder(t, 'backup', 'elsewhere')
  const server = await startServer(t, { TRUST_PROXY: '127.0.0.1' })
  const link = await create(server, { target: TARGET })
  const scans = new DatabaseSync(join(server.dataDir, 'scans.db'))
  undoLater(t, () => scans.close())
  scans.exec('begin immediate')
  await visitOften(server, link)
  mkdirSync(join(server.dataDir, 'journal', 'folder.scans'))
  const { text } = await runHere(server.dataDir, backup, folder)
  assert.match(text, /\d journal files? with scans that are not in the statistics yet/)
  assert.match(
    (await runHere(elsewhere, verify, folder)).text,
    /^journal +good +20 scans are not in the statistics yet$/m,
  )
  await runHere(elsewhere, restore, folder)
  await assertCounted(await startServer(t, { DATA_DIR: elsewhere }), link)
})

const VISITS = 20

async function visitOften(server: Pick<Service, 'url'>, { code }: Created): Promise<void> {
  for (let at = 0; at < VISITS; at++) {
    const from = { 'x-forwarded-for': addressOf(at), 'user-agent': FIREFOX }
    const headers = { referer: `https://v${at}.example.com/`, ...from }
    assert.equal((await visit(`${server.url}/${code}`, headers)).status, 302)
  }
}

async function assertCounted(server: Pick<Service, 'url'>, link: Created): Promise<void> {
  await settled(server)
  const { names, total } = await scansOf(server, link)
  assert.deepEqual([new Set(names).size, names.length, total], [VISITS, VISITS, VISITS])
}

/** Starts a backup in a separate process, and returns once it is in progress. */
async function halfway(t: Ending, dataDir: string, folder: string): Promise<ChildProcess> {
  const running = spawn(process.execPath, [program, 'backup', folder, `--data-dir=${dataDir}`], { stdio: 'ignore' })
  undoLater(t, () => void running.kill('SIGKILL'))
  while (!existsSync(join(folder, 'unfinished'))) await sleep(1)
  return running
}

test('a backup whose command is killed is refused as incomplete; an interrupted one leaves nothing', async (t) => {
  const [first, second, third, elsewhere] = inFolder(t, 'first', 'second', 'third', 'elsewhere')
  const { dataDir } = await startServer(t)
  const command = await halfway(t, dataDir, first)
  command.kill('SIGSTOP')
  await refuse(dataDir, backup, [second], /another backup of DATA_DIR=\S+ is running/)
  command.kill('SIGKILL')
  await once(command, 'exit')
  await refuse(elsewhere, verify, [first], /holds no complete backup: its command was interrupted/)
  await refuse(elsewhere, restore, [first], /holds no complete backup: its command was interrupted/)
  await refuse(dataDir, backup, [first], /holds an unfinished backup: remove it first/)
  for (const each of [second, elsewhere]) assert.equal(existsSync(each), false)

  const interrupted = await halfway(t, dataDir, third)
  interrupted.kill('SIGINT')
  assert.deepEqual(await once(interrupted, 'exit'), [null, 'SIGINT'])
  assert.equal(existsSync(third), false)
  await runHere(dataDir, backup, third)
})

test('kill -9 of the service during a backup leaves a complete backup or none', async (t) => {
  const [folder, elsewhere] = inFolder(t, 'backup', 'elsewhere')
  const service = await begin(t)
  const link = await create(service, { target: TARGET })
  const command = await halfway(t, service.dataDir, folder)
  await killed(service)
  const [status] = (await once(command, 'exit')) as [number]
  assert.equal(existsSync(folder), status === 0)
  if (status !== 0) await runHere(service.dataDir, backup, folder)
  await runHere(elsewhere, restore, folder)
  const restored = await startServer(t, { DATA_DIR: elsewhere })
  assert.equal((await visit(`${restored.url}/${link.code}`)).status, 302)
})

test('a full disk ends a backup or a restore with one line, and leaves nothing', async (t) => {
  const disk = smallDisk(t, 120 * 1024)
  if (disk !== undefined) await refuseFullDisk(t, disk, disk.env['LD_PRELOAD'] === undefined)
})

test('a disk without room for one byte ends a backup, a restore or a start in the same way', async (t) => {
  const faults = buildFaults(t)
  if (faults === undefined) return
  const folder = temporaryFolder(t)
  const fill = () => faults.set({ operation: 'write', error: 'ENOSPC', files: `${folder}/*` })
  await refuseFullDisk(t, { folder, env: faults.env, fill, free: faults.clear }, false)
  const started = start(t, folder, [], { env: faults.env })
  await assert.rejects(started, new RegExp(`quirl: ${folder}/links\\.db cannot be written: its disk is full\n`))
})

async function refuseFullDisk(t: TestContext, disk: SmallDisk, isReal: boolean): Promise<void> {
  const refuseFull = async (dataDir: string, command: string, folder: string, reason: RegExp) => {
    if (!isReal) disk.fill()
    const args = [program, command, folder, `--data-dir=${dataDir}`]
    const env = { ...process.env, ...disk.env }
    const running = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
    const [printed, [status]] = await Promise.all([text(running.stderr), once(running, 'close') as Promise<[number]>])
    assert.match(printed, reason)
    assert.equal(status, 1)
    assert.deepEqual(readdirSync(disk.folder), [])
  }
  const { dataDir } = await startServer(t)
  for (const folder of [join(disk.folder, 'backup'), disk.folder]) {
    await refuseFull(dataDir, 'backup', folder, /^quirl: no backup was taken: the disk of \S+ is full\n$/)
  }
  const [whole] = inFolder(t, 'backup')
  await runHere(dataDir, backup, whole)
  for (const target of [join(disk.folder, 'data'), disk.folder]) {
    await refuseFull(target, 'restore', whole, /^quirl: the disk of DATA_DIR=\S+ is full: nothing was restored\n$/)
  }
}

test('a restore requires an empty folder without a service; after an interrupted one the service does not start', async (t) => {
  const [folder, half] = inFolder(t, 'backup', 'half')
  const server = await startServer(t)
  const { dataDir } = server
  await runHere(dataDir, backup, folder)
  await refuse(dataDir, restore, [folder], /another quirl is using DATA_DIR=/)
  await server.stop()
  await refuse(dataDir, restore, [folder], /is not empty: move it away/)
  mkdirSync(join(half, 'restoring'), { recursive: true })
  await refuse(half, restore, [folder], /holds a restore that was interrupted/)
  await assert.rejects(startServer(t, { DATA_DIR: half }), /holds a restore that was interrupted/)
})

test('a backup requires an empty folder, and a data folder of quirl', async (t) => {
  const [folder, parent, empty] = inFolder(t, 'backup', 'parent', 'empty')
  const { dataDir } = await startServer(t)
  mkdirSync(parent)
  mkdirSync(empty)
  writeFileSync(join(parent, 'file'), '')
  await refuse(dataDir, backup, [parent], /is not empty/)
  await refuse(dataDir, backup, [dataDir], /is not empty/)
  await refuse(dataDir, backup, [join(parent, 'no', 'such')], /cannot be written: ENOENT/)
  await refuse(dataDir, backup, [join(parent, 'file')], /cannot be written: ENOTDIR/)
  await refuse(dataDir, backup, [], /give one folder/)
  await refuse(parent, backup, [folder], /holds nothing of quirl/)
  await refuse(parent, verify, [], /holds nothing of quirl/)
  await refuse(parent, verify, [parent], /holds no complete backup: it has no SHA256SUMS/)
  await refuse(parent, verify, [folder], /does not exist/)
  // The folder that a file system has in its root does not count.
  mkdirSync(join(empty, 'lost+found'))
  await runHere(dataDir, backup, empty)
})

test('a backup with a changed, truncated, extended, missing or additional file is refused', async (t) => {
  const [folder, elsewhere] = inFolder(t, 'backup', 'elsewhere')
  const service = await startServer(t)
  await visitOften(service, await create(service, { target: TARGET }))
  await runHere(service.dataDir, backup, folder)
  const names = readdirSync(folder)
  const isRefused = async () => {
    await refuse(elsewhere, verify, [folder], /is damaged|holds no complete backup/)
    await refuse(elsewhere, restore, [folder], /is damaged|holds no complete backup/)
  }
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), fc.nat(), fc.nat({ max: 7 }), async (name, at, bit) => {
      const file = join(folder, name)
      const bytes = readFileSync(file)
      const flipped = Buffer.from(bytes)
      flipped[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ (1 << bit)
      for (const changed of [
        flipped,
        bytes.subarray(0, at % bytes.length),
        Buffer.concat([bytes, Buffer.from('\n')]),
      ]) {
        writeFileSync(file, changed)
        await isRefused()
      }
      writeFileSync(file, bytes)
    }),
    { numRuns: 60 },
  )
  for (const name of names) {
    renameSync(join(folder, name), join(folder, 'away'))
    await isRefused()
    renameSync(join(folder, 'away'), join(folder, name))
  }
  writeFileSync(join(folder, 'more'), '')
  await isRefused()
  rmSync(join(folder, 'more'))
  assert.equal(existsSync(elsewhere), false)
  await runHere(elsewhere, restore, folder)
})

test('a backup by a newer version, and one whose checksums name a path outside, are refused', async (t) => {
  const [folder, elsewhere] = inFolder(t, 'backup', 'elsewhere')
  const server = await startServer(t)
  await runHere(server.dataDir, backup, folder)
  const [facts, sums] = [join(folder, 'backup.json'), join(folder, 'SHA256SUMS')]
  const kept = readFileSync(sums, 'utf8')
  const newer = readFileSync(facts, 'utf8').replace(/"schema": \d+/, '"schema": 1000')
  writeFileSync(facts, newer)
  writeFileSync(sums, kept.replace(/\S+(?= {2}backup\.json)/, hash('sha256', newer)))
  for (const command of [verify, restore])
    await refuse(elsewhere, command, [folder], /was taken by quirl 1\.2\.3, which is newer than this one/)
  writeFileSync(sums, kept.replace('  links.db', '  ../links.db'))
  for (const command of [verify, restore]) await refuse(elsewhere, command, [folder], /SHA256SUMS cannot be read/)
})

test('verify lists the faults of a data folder, and exits with status 1', async (t) => {
  const server = await startServer(t)
  const { dataDir } = server
  const link = await create(server, { target: TARGET })
  await visitOften(server, link)
  await settled(server)
  const change = (name: string, statement: string) => {
    const db = new DatabaseSync(join(dataDir, name))
    db.exec(statement)
    db.close()
  }
  const printed = async () => (await runHere(dataDir, verify)).text
  assert.match(await printed(), /^links\.db +good +1 link, 1 code, schema \d+$/m)
  assert.match(await printed(), /^scans\.db +good +20 scans of 1 link, schema \d+$/m)
  assert.match(await printed(), /^identity +good +scans and links belong to the instance [\w-]+$/m)
  await server.stop()
  change('scans.db', 'update totals set humans = humans + 1')
  assert.match(await printed(), /^counts +BAD +the counts of 1 link \(\d+\) are inconsistent$/m)
  change('scans.db', "update totals set humans = humans - 1; update instance set id = 'another'")
  assert.match(await printed(), /^identity +BAD +its scans belong to another links\.db$/m)
  change('links.db', 'delete from links')
  assert.match(await printed(), /^orphans +BAD +there are scans of 1 link \(\d+\) that do not exist$/m)
  assert.equal((await quirl(dataDir, 'verify')).status, 1)
  writeFileSync(join(dataDir, 'scans.db'), 'nonsense'.repeat(1000))
  assert.match(await printed(), /^scans\.db +BAD +cannot be read: file is not a database$/m)
  rmSync(join(dataDir, 'scans.db'))
  assert.match(await printed(), /^scans\.db +BAD +cannot be read: unable to open database file$/m)
})

test('a backup has nothing of a deleted link, even before its scans have been purged', async (t) => {
  const [folder] = inFolder(t, 'backup')
  const server = await startServer(t)
  const link = await create(server, { target: TARGET })
  await visitOften(server, link)
  await fetch(`${server.url}/${link.code}`, { headers: { referer: 'https://gone.example.net/' }, redirect: 'manual' })
  await settled(server)
  await server.stop()
  const hasReferrer = (folderOf: string) => readFileSync(join(folderOf, 'scans.db')).includes('gone.example.net')
  assert.equal(hasReferrer(server.dataDir), true)
  const links = new DatabaseSync(join(server.dataDir, 'links.db'))
  links.exec('insert into deletions select id from links; delete from links')
  links.close()
  assert.match((await runHere(server.dataDir, verify)).text, /^orphans +good +none$/m)
  assert.match((await runHere(server.dataDir, backup, folder)).text, /0 links, 0 scans/)
  assert.equal(hasReferrer(folder), false)
  assert.match((await runHere(server.dataDir, verify, folder)).text, /^scans\.db +good +0 scans of 0 links/m)
})

test('a backup inside its data folder, and a restore into a backup, are refused, also through symbolic links', async (t) => {
  const [folder, link] = inFolder(t, 'backup', 'link')
  const { dataDir } = await startServer(t)
  symlinkSync(dataDir, link)
  for (const place of [dataDir, link])
    for (const name of ['new', 'lists', 'journal/new'])
      await refuse(dataDir, backup, [join(place, name)], /is inside DATA_DIR=\S+: a backup needs a folder elsewhere/)
  assert.equal(existsSync(join(dataDir, 'new')), false)
  await runHere(dataDir, backup, folder)
  await refuse(join(folder, 'data'), restore, [folder], /is inside \S+, and nothing may be added to a backup/)
  await runHere(dataDir, verify, folder)
})

test('a backup that fails removes only what it created', async (t) => {
  const [folder] = inFolder(t, 'backup')
  const { dataDir } = await startServer(t)
  mkdirSync(folder)
  const options = {
    dataDir,
    folder,
    version: '1.2.3',
    fold: async () => true,
    now: Date.now,
    undoOnEnd: () => () => {},
  }
  const onStep = (_step: string, unfinished: string) => {
    writeFileSync(join(folder, 'note'), 'of the operator')
    mkdirSync(join(unfinished, 'backup.json'), { recursive: true })
  }
  await assert.rejects(backUp({ ...options, onStep }), (error: Error) => {
    assert.ok(error instanceof StartError, String(error.stack))
    assert.match(error.message, /^no backup was taken: EEXIST/)
    return true
  })
  assert.deepEqual(readdirSync(folder), ['note'])
})

test('a path that is not a folder, a backup or a database of quirl is refused with one line', async (t) => {
  const [folder, elsewhere] = inFolder(t, 'backup', 'elsewhere')
  const { dataDir } = await startServer(t)
  const refused = async (reason: RegExp, ...args: string[]) => {
    const { status, stdout, stderr } = await ran(elsewhere, ...args)
    assert.deepEqual([status, stdout, stderr.split('\n').length], [1, '', 2], stderr)
    assert.match(stderr, reason)
  }
  for (const name of ['verify', 'restore']) await refused(/^quirl: ENOTDIR: not a directory/, name, program)
  await runHere(dataDir, backup, folder)
  const sums = join(folder, 'SHA256SUMS')
  rmSync(join(folder, 'backup.json'))
  writeFileSync(sums, readFileSync(sums, 'utf8').replace(/^.*backup\.json\n/m, ''))
  for (const name of ['verify', 'restore']) await refused(/SHA256SUMS does not name backup\.json/, name, folder)
  rmSync(sums)
  mkdirSync(sums)
  await refused(/^quirl: EISDIR/, 'verify', folder)
  mkdirSync(elsewhere)
  for (const name of ['links.db', 'scans.db']) {
    const other = new DatabaseSync(join(elsewhere, name))
    other.exec('create table other (id integer)')
    other.close()
  }
  assert.match((await runHere(elsewhere, verify)).text, /^links\.db +BAD +cannot be read: no such table: migrations$/m)
})

test('an older version neither copies nor verifies the data of a newer one', async (t) => {
  const [folder] = inFolder(t, 'backup')
  const { dataDir } = await startServer(t)
  const scans = new DatabaseSync(join(dataDir, 'scans.db'))
  scans.exec('pragma user_version = 1000')
  scans.close()
  await refuse(dataDir, verify, [], /was written by a newer quirl than this one/)
  await refuse(dataDir, backup, [folder], /no backup was taken: .* was written by a newer quirl than this one/)
  assert.equal(existsSync(folder), false)
})

test('files that root creates in a data folder belong to the user of the service', async (t) => {
  if (process.getuid?.() !== 0) return skipUnlessCi(t, 'only root may give files away')
  const [folder] = inFolder(t, 'backup')
  const server = await startServer(t)
  await server.stop()
  const names = ['lock', 'backup.lock', 'sums.json']
  for (const name of names) rmSync(join(server.dataDir, name), { force: true })
  const NOBODY = 65_534
  chownSync(server.dataDir, NOBODY, NOBODY)
  await runHere(server.dataDir, backup, folder)
  await runHere(server.dataDir, adopt)
  for (const name of [...names, 'last-backup.json'])
    assert.equal(statSync(join(server.dataDir, name)).uid, NOBODY, name)
})
