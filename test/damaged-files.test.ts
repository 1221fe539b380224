// Each file of the data folder missing, cut, overwritten, or with one bit flipped: what was answered before is answered
// again, or somebody is told.
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
/** What the service says of everything in a folder that nothing has happened to. */
const expected = new Map<string, Record<string, string>>()

const keyed = (url: string) =>
  post(`${url}/api/links`, { target: 'https://example.com/keyed' }, { 'idempotency-key': KEY })

/** Lets the program make a folder with everything in it: one that was killed, and one that was stopped. */
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

/** Everything that the service says of the links, without what differs from one request to the next. */
async function answersOf(server: TestServer): Promise<Record<string, string>> {
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`${server.url}${path}`, { method, redirect: 'manual' })
    const text = (await response.text()).replace(/"(?:request_id|as_of)":"[^"]*"/g, '')
    return `${response.status} ${response.headers.get('location')} ${text}`
  }
  const answers: Record<string, string> = {}
  for (const { code, token } of links) {
    for (const path of ['', '/stats', '/scans.csv'])
      answers[`${code} ${path}`] = await get(`/api/manage/${token}${path}`)
    answers[code] = await get(`/${code}`, 'HEAD')
  }
  const again = await keyed(server.url)
  answers['keyed'] = `${again.status} ${again.status < 500 ? await again.text() : ''}`
  return answers
}

/** What came of a folder with damage. */
interface Outcome {
  /** Why the start was refused. */
  refused?: string
  /** What was answered otherwise than before. */
  changed: string[]
  /** Whether somebody was told: in the log, or by an answer that there is a fault. */
  isTold: boolean
}

async function tryFolder(t: TestContext, folder: string, what: keyof typeof folders): Promise<Outcome> {
  let server: TestServer
  try {
    server = await startServer(t, { DATA_DIR: folder, BASE_URL })
  } catch (error) {
    assert.ok(error instanceof StartError, String(error))
    return { refused: error.message, changed: [], isTold: true }
  }
  const answers = await answersOf(server)
  const wanted = expected.get(what) ?? answers
  const changed = Object.keys(answers).filter((name) => answers[name] !== wanted[name])
  const isTold = server.logged.length > 0 || changed.some((name) => answers[name]?.startsWith('5'))
  await server.stop()
  if (!expected.has(what)) expected.set(what, answers)
  return { changed, isTold }
}

/** Damages a copy of a folder, and tries it. */
async function tryDamaged(
  t: TestContext,
  what: keyof typeof folders,
  damage: (folder: string) => void,
): Promise<Outcome> {
  const folder = temporaryFolder(t)
  cpSync(folders[what], folder, { recursive: true })
  damage(folder)
  try {
    return await tryFolder(t, folder, what)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const filesOf = (folder: string, isWanted: RegExp) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => isWanted.test(name) && statSync(join(folder, name)).size > 0)
    .sort()

test('folders that nothing has happened to are taken as they are, and nobody is told anything', async (t) => {
  for (const what of ['stopped', 'killed'] as const) {
    assert.deepEqual(await tryDamaged(t, what, () => {}), { changed: [], isTold: false })
    const answers = JSON.stringify(expected.get(what))
    for (const text of ['"scans":4', 'https://example.com/changed', '"active":false'])
      assert.ok(answers.replaceAll('\\', '').includes(text), `${what}: ${text}`)
  }
})

const damages: Record<string, (file: string) => void> = {
  missing: (file) => rmSync(file),
  'cut to its half': (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
  empty: (file) => truncateSync(file, 0),
  garbage: (file) => writeFileSync(file, Buffer.alloc(statSync(file).size, 'no file of quirl ')),
}

for (const [name, damage] of Object.entries(damages)) {
  test(`a file that is ${name} since the service was stopped is told, also where it stops the start`, async (t) => {
    for (const file of filesOf(folders.stopped, /\.(?:db|keys|salt)$/)) {
      const { refused, isTold } = await tryDamaged(t, 'stopped', (folder) => damage(join(folder, file)))
      t.diagnostic(`${file}: ${refused?.replace(/.*?(?=\w+\.db)/, '') ?? 'the service starts'}`)
      assert.ok(isTold, file)
    }
  })
}

test('a database that can be opened and is not what it was ends the start with one line', (t) => {
  const folder = temporaryFolder(t)
  cpSync(folders.stopped, folder, { recursive: true })
  const db = new DatabaseSync(join(folder, 'links.db'))
  db.exec('alter table purges rename column link_id to damaged')
  db.close()
  const args = [program, '--port=0', `--data-dir=${folder}`]
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: PATIENCE_MS })
  assert.equal(status, 1)
  const [told, line, ...more] = stderr.trim().split('\n')
  assert.match(told ?? '', /"files":\["links\.db"\].*files are not as they were/)
  assert.match(
    line ?? '',
    /^quirl: DATA_DIR=.* cannot be used \(no such column.*\): put a backup in its place by "quirl restore"$/,
  )
  assert.deepEqual(more, [])
})

test('statistics that are missing and logs that are garbage are told after a kill as well', async (t) => {
  for (const [file, damage] of [
    ['scans.db', damages['missing']],
    ['links.db-wal', damages['garbage']],
    ['scans.db-wal', damages['garbage']],
  ] as const) {
    const { isTold } = await tryDamaged(t, 'killed', (folder) => damage?.(join(folder, file)))
    assert.ok(isTold, file)
  }
})

test(`any of ${FLIPS} bits that are flipped is survived exactly, or somebody is told`, async (t) => {
  const seed = seedOf(t)
  const files = [
    ...filesOf(folders.stopped, /\.(?:db|keys|salt)$/).map((file) => ['stopped', file] as const),
    // What a kill leaves in a database is SQLite's to check; what it leaves in logs and journals has sums.
    ...filesOf(folders.killed, /-wal$|\.scans$/).map((file) => ['killed', file] as const),
  ]
  const outcomes = { exact: 0, told: 0, refused: 0 }
  const place = fc.record({ file: fc.constantFrom(...files), at: fc.nat(), bit: fc.nat(7) })
  await fc.assert(
    fc.asyncProperty(place, async ({ file: [what, file], at, bit }) => {
      const bytes = readFileSync(join(folders[what], file))
      // Most of a database is zeros that mean nothing.
      const used = [...bytes.keys()].filter((position) => bytes[position] !== 0)
      const position = used[at % used.length] ?? 0
      bytes[position] = (bytes[position] ?? 0) ^ (1 << bit)
      const { refused, changed, isTold } = await tryDamaged(t, what, (folder) =>
        writeFileSync(join(folder, file), bytes),
      )
      assert.ok(isTold || changed.length === 0, `${what} ${file} ${position} ${bit}: ${changed.join(', ')}`)
      outcomes[refused !== undefined ? 'refused' : changed.length === 0 ? 'exact' : 'told']++
    }),
    { seed, numRuns: FLIPS, endOnFailure: true },
  )
  t.diagnostic(JSON.stringify(outcomes))
})
