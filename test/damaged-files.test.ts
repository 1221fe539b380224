// Each file of the data folder is removed, truncated, overwritten, or has one bit flipped: then the responses are the
// same as before, or the service reports a fault.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test, type TestContext } from 'node:test'
import { fc } from './support/fast-check.ts'
import { StartError } from '../src/lib/start-error.ts'
import { endOfFile, temporaryFolder } from './support/cleanup.ts'
import { PATIENCE_MS } from './support/poll.ts'
import { exitOf, program, start } from './support/program.ts'
import { seedOf } from './support/random.ts'
import { create, post, put, startServer, visit, type Created, type TestServer } from './support/server.ts'

/** `npm run test:faults` flips 500 bits. */
const FLIPS = Number(process.env['FLIPS'] ?? 12)
const LINKS = 12
const KEY = 'the key of a creation'
const BASE_URL = 'https://quirl.example'

const end = endOfFile()
const folders = { stopped: '', killed: '' }
let links: Created[] = []
/** The service's responses for each undamaged folder. */
const expected = new Map<string, Record<string, string>>()

const keyed = (url: string) =>
  post(`${url}/api/links`, { target: 'https://example.com/keyed' }, { 'idempotency-key': KEY })

/** Has the program make two folders with data of every sort: in one it was killed, in the other stopped. */
before(async () => {
  folders.killed = temporaryFolder(end)
  const service = await start(end, folders.killed)
  const { url } = service
  const more = { title: 'Menu', campaign: 'spring', utm: { utm_source: 'flyer' } }
  links = [(await (await keyed(url)).json()) as Created]
  for (let at = 1; at < LINKS; at++) links.push(await create(service, { target: `https://example.com/${at}`, ...more }))
  const visitAll = async (round: number) => {
    for (const { code } of links) await visit(`${url}/${code}?qr=1`, { referer: `https://${round}.example.org/` })
  }
  for (let round = 0; round < 3; round++) await visitAll(round)
  await fetch(`${url}/api/manage/${links[1]?.token}/stats`)
  await fetch(`${url}/api/manage/${links[1]?.token}`, { method: 'DELETE' })
  await put(`${url}/api/manage/${links[2]?.token}`, { active: false })
  await put(`${url}/api/manage/${links[3]?.token}`, { target: 'https://example.com/changed' })
  await visitAll(4)
  service.process.kill('SIGKILL')
  await exitOf(service)
  folders.stopped = temporaryFolder(end)
  cpSync(folders.killed, folders.stopped, { recursive: true })
  const again = await start(end, folders.stopped)
  await fetch(`${again.url}/api/manage/${links[2]?.token}`)
  again.process.kill('SIGTERM')
  assert.deepEqual(await exitOf(again), { code: 0, signal: null })
})

/** The service's responses for the links, without the parts that differ from one request to the next. */
async function responsesOf(server: TestServer): Promise<Record<string, string>> {
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`${server.url}${path}`, { method, redirect: 'manual' })
    const text = (await response.text()).replace(/"(?:request_id|as_of)":"[^"]*"/g, '')
    return `${response.status} ${response.headers.get('location')} ${text}`
  }
  const responses: Record<string, string> = {}
  for (const { code, token } of links) {
    for (const path of ['', '/stats', '/scans.csv'])
      responses[`${code} ${path}`] = await get(`/api/manage/${token}${path}`)
    responses[code] = await get(`/${code}`, 'HEAD')
  }
  const again = await keyed(server.url)
  responses['keyed'] = `${again.status} ${again.status < 500 ? await again.text() : ''}`
  return responses
}

/** The result of a start on a damaged folder. */
interface Outcome {
  /** Why the start was refused. */
  refused?: string
  /** The requests whose responses differ from before. */
  changed: string[]
  /** Whether the service reported the damage: in the log, by a 5xx, or by refusing to start. */
  isReported: boolean
}

async function tryFolder(t: TestContext, folder: string, origin: keyof typeof folders): Promise<Outcome> {
  let server: TestServer
  try {
    server = await startServer(t, { DATA_DIR: folder, BASE_URL })
  } catch (error) {
    assert.ok(error instanceof StartError, String(error))
    return { refused: error.message, changed: [], isReported: true }
  }
  const responses = await responsesOf(server)
  const wanted = expected.get(origin) ?? responses
  const changed = Object.keys(responses).filter((name) => responses[name] !== wanted[name])
  const isReported = server.logged.length > 0 || changed.some((name) => responses[name]?.startsWith('5'))
  await server.stop()
  if (!expected.has(origin)) expected.set(origin, responses)
  return { changed, isReported }
}

/** Damages a copy of a folder, and starts the service on it. */
async function tryDamaged(
  t: TestContext,
  origin: keyof typeof folders,
  damage: (folder: string) => void,
): Promise<Outcome> {
  const folder = temporaryFolder(t)
  cpSync(folders[origin], folder, { recursive: true })
  damage(folder)
  try {
    return await tryFolder(t, folder, origin)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const filesOf = (folder: string, isWanted: RegExp) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => isWanted.test(name) && statSync(join(folder, name)).size > 0)
    .sort()

test('undamaged folders give the same responses, and the service reports nothing', async (t) => {
  for (const origin of ['stopped', 'killed'] as const) {
    assert.deepEqual(await tryDamaged(t, origin, () => {}), { changed: [], isReported: false })
    const responses = JSON.stringify(expected.get(origin))
    for (const text of ['"scans":4', 'https://example.com/changed', '"active":false'])
      assert.ok(responses.replaceAll('\\', '').includes(text), `${origin}: ${text}`)
  }
})

const damages: Record<string, (file: string) => void> = {
  missing: (file) => rmSync(file),
  'truncated to half': (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
  empty: (file) => truncateSync(file, 0),
  garbage: (file) => writeFileSync(file, Buffer.alloc(statSync(file).size, 'no file of quirl ')),
}

for (const [name, damage] of Object.entries(damages)) {
  test(`the service reports each file that is ${name} since it was stopped, or refuses to start`, async (t) => {
    for (const file of filesOf(folders.stopped, /\.(?:db|keys|salt)$/)) {
      const { refused, isReported } = await tryDamaged(t, 'stopped', (folder) => damage(join(folder, file)))
      t.diagnostic(`${file}: ${refused?.replace(/.*?(?=\w+\.db)/, '') ?? 'the service starts'}`)
      assert.ok(isReported, file)
    }
  })
}

test('a database that opens but lacks a column ends the start with one line', (t) => {
  const folder = temporaryFolder(t)
  cpSync(folders.stopped, folder, { recursive: true })
  const db = new DatabaseSync(join(folder, 'links.db'))
  db.exec('alter table purges rename column link_id to damaged')
  db.close()
  const args = [program, '--port=0', `--data-dir=${folder}`]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: PATIENCE_MS })
  assert.equal(status, 1)
  const [logged, line, ...more] = stderr.trim().split('\n')
  assert.match(logged ?? '', /"files":\["links\.db"\].*files are not as they were/)
  assert.match(
    line ?? '',
    /^quirl: DATA_DIR=.* cannot be used \(no such column.*\): put a backup in its place by "quirl restore"$/,
  )
  assert.deepEqual(more, [])
})

test('the service reports missing statistics and invalid write-ahead logs after a kill as well', async (t) => {
  for (const [file, damage] of [
    ['scans.db', damages['missing']],
    ['links.db-wal', damages['garbage']],
    ['scans.db-wal', damages['garbage']],
  ] as const) {
    const { isReported } = await tryDamaged(t, 'killed', (folder) => damage?.(join(folder, file)))
    assert.ok(isReported, file)
  }
})

test(`after each of ${FLIPS} bit flips the responses are the same as before, or the service reports a fault`, async (t) => {
  const seed = seedOf(t)
  const files = [
    ...filesOf(folders.stopped, /\.(?:db|keys|salt)$/).map((file) => ['stopped', file] as const),
    // After a kill, only write-ahead logs and journals: they have checksums, and SQLite checks the databases.
    ...filesOf(folders.killed, /-wal$|\.scans$/).map((file) => ['killed', file] as const),
  ]
  const outcomes = { exact: 0, reported: 0, refused: 0 }
  const place = fc.record({ file: fc.constantFrom(...files), at: fc.nat(), bit: fc.nat(7) })
  await fc.assert(
    fc.asyncProperty(place, async ({ file: [origin, file], at, bit }) => {
      const bytes = readFileSync(join(folders[origin], file))
      // Most of a database is zeros without a meaning.
      const used = [...bytes.keys()].filter((position) => bytes[position] !== 0)
      const position = used[at % used.length] ?? 0
      bytes[position] = (bytes[position] ?? 0) ^ (1 << bit)
      const { refused, changed, isReported } = await tryDamaged(t, origin, (folder) =>
        writeFileSync(join(folder, file), bytes),
      )
      assert.ok(isReported || changed.length === 0, `${origin} ${file} ${position} ${bit}: ${changed.join(', ')}`)
      outcomes[refused !== undefined ? 'refused' : changed.length === 0 ? 'exact' : 'reported']++
    }),
    { seed, numRuns: FLIPS, endOnFailure: true },
  )
  t.diagnostic(JSON.stringify(outcomes))
})
