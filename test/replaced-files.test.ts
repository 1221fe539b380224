// Files of the data folder are moved away, removed or replaced while the program has them open.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from './support/cleanup.ts'
import { command, quirl } from './support/cli.ts'
import { documentedBlocks } from './support/doc-blocks.ts'
import { poll } from './support/poll.ts'
import { exitOf, start, type Service } from './support/program.ts'
import { create, post, visit, type Created } from './support/server.ts'
import { UNLIMITED } from './support/workload.ts'

const LINKS = 12

async function startWithLinks(t: TestContext): Promise<{ service: Service; links: Created[] }> {
  const service = await start(t, temporaryFolder(t), UNLIMITED)
  const links: Created[] = []
  for (let at = 0; at < LINKS; at++) links.push(await create(service, { target: `https://example.com/${at}` }))
  return { service, links }
}

const suffixes = ['', '-wal', '-shm']

/** Calls `change` for each file of a database that is there. */
function forFiles({ dataDir }: Service, database: string, change: (file: string) => void): void {
  for (const file of suffixes.map((suffix) => join(dataDir, `${database}${suffix}`))) if (existsSync(file)) change(file)
}

const remove = (service: Service, database: string) => forFiles(service, database, (file) => rmSync(file))

const tryCreation = ({ url }: Service) => post(`${url}/api/links`, { target: 'https://example.com/another' })

async function refuseCreation(service: Service): Promise<void> {
  const refused = await tryCreation(service)
  assert.equal(refused.status, 503)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
}

/** Waits until `/readyz` is 503 and names the file. */
async function saysReplaced({ url }: Service, file: string): Promise<void> {
  await poll(async () => {
    const response = await fetch(`${url}/readyz`)
    return response.status === 503 && (await response.text()).includes(file)
  })
}

async function visitEach(links: Created[], status = 302): Promise<void> {
  for (const link of links) assert.equal((await visit(link.short_url)).status, status)
}

async function readEach({ url }: Service, links: Created[]): Promise<void> {
  for (const { token } of links) assert.equal((await fetch(`${url}/api/manage/${token}`)).status, 200)
}

async function end(service: Service, signal: NodeJS.Signals): Promise<void> {
  service.process.kill(signal)
  await exitOf(service)
}

async function totalOf({ url }: Service, links: Created[]): Promise<number> {
  const totals = links.map(async ({ token }) => {
    const response = await fetch(`${url}/api/manage/${token}/stats?audience=all`)
    assert.equal(response.status, 200)
    return ((await response.json()) as { totals: { scans: number } }).totals.scans
  })
  return (await Promise.all(totals)).reduce((sum, each) => sum + each, 0)
}

test('no creation is acknowledged that begins after links.db was moved away; visits go on, and changes once it is back', async (t) => {
  const { service, links } = await startWithLinks(t)
  const away = temporaryFolder(t)
  const swap = (from: string, to: string) => {
    for (const suffix of suffixes) renameSync(join(from, `links.db${suffix}`), join(to, `links.db${suffix}`))
  }
  swap(service.dataDir, away)
  for (let time = 0; time < 3; time++) await refuseCreation(service)
  assert.equal(existsSync(join(service.dataDir, 'links.db')), false, 'no other file has taken its place')
  await saysReplaced(service, 'links.db')
  assert.match(service.output(), /another program has moved, replaced or removed links\.db/)
  await visitEach(links)
  swap(away, service.dataDir)
  await poll(async () => (await tryCreation(service)).status === 201)
  await poll(async () => (await fetch(`${service.url}/readyz`)).status === 200)
  const more = await create(service, { target: 'https://example.com/more' })
  await end(service, 'SIGKILL')
  await readEach(await start(t, service.dataDir, UNLIMITED), [...links, more])
})

test('a links.db that was moved away is reported also while nobody changes anything', async (t) => {
  const { service } = await startWithLinks(t)
  renameSync(join(service.dataDir, 'links.db'), join(service.dataDir, 'links.db.old'))
  await saysReplaced(service, 'links.db')
  await poll(() => service.output().includes('links cannot be created or changed'))
  await refuseCreation(service)
})

test('no creation is acknowledged after another file has taken the place of links.db, and no backup is taken of that', async (t) => {
  const { service, links } = await startWithLinks(t)
  const other = await startWithLinks(t)
  await end(other.service, 'SIGTERM')
  renameSync(join(other.service.dataDir, 'links.db'), join(service.dataDir, 'links.db'))
  await refuseCreation(service)
  await visitEach(links)
  const { status, stderr } = await quirl(service.dataDir, 'backup', join(temporaryFolder(t), 'backup'))
  assert.equal(status, 1)
  assert.match(stderr, /links\.db/)
})

test('when only the log of links.db was removed, each acknowledged creation is there after a kill', async (t) => {
  const { service, links } = await startWithLinks(t)
  rmSync(join(service.dataDir, 'links.db-wal'))
  await saysReplaced(service, 'links.db-wal')
  await refuseCreation(service)
  await end(service, 'SIGKILL')
  const again = await start(t, service.dataDir, UNLIMITED)
  await readEach(again, links)
  assert.equal((await tryCreation(again)).status, 201)
})

/** Copies the files of a database that was removed back from the process that has them open. */
function copyBack({ dataDir }: Service, database: string): void {
  const block = documentedBlocks().find(({ page, text }) => page === 'docs/trouble.md' && text.includes('/proc/'))
  const script = block?.text.replace('/var/lib/quirl/links.db', join(dataDir, database)) ?? ''
  spawnSync('sh', ['-c', script])
  for (const suffix of ['', '-wal']) assert.ok(existsSync(join(dataDir, `${database}${suffix}`)), suffix)
}

test(
  'a removed links.db can be copied back from the running process, as docs/trouble.md says, and nothing acknowledged is missing',
  { skip: process.platform !== 'linux' && 'only Linux has /proc/<pid>/fd' },
  async (t) => {
    const { service, links } = await startWithLinks(t)
    remove(service, 'links.db')
    await saysReplaced(service, 'links.db')
    copyBack(service, 'links.db')
    await refuseCreation(service)
    await end(service, 'SIGTERM')
    const again = await start(t, service.dataDir, UNLIMITED)
    await readEach(again, links)
    assert.equal((await tryCreation(again)).status, 201)
  },
)

for (const [what, names] of [
  ['scans.db', suffixes],
  ['only the log of scans.db', ['-wal']],
] as const) {
  test(`when ${what} was removed, the scans of all visits from then on are in the journal until the next start`, async (t) => {
    const { service, links } = await startWithLinks(t)
    await visitEach(links)
    assert.equal(await totalOf(service, links), LINKS)
    for (const suffix of names) rmSync(join(service.dataDir, `scans.db${suffix}`))
    await visitEach(links)
    await poll(() => /another program has moved, replaced or removed scans\.db/.test(service.output()))
    for (let round = 0; round < 2; round++) await visitEach(links)
    await poll(async () => (await fetch(`${service.url}/readyz`)).status === 503)
    await end(service, 'SIGKILL')
    const again = await start(t, service.dataDir, UNLIMITED)
    assert.equal(await totalOf(again, links), names.length === 1 ? 4 * LINKS : 3 * LINKS)
  })
}

test('when the keys of the day were removed, scans are counted on, with their visitors as new ones', async (t) => {
  const { service, links } = await startWithLinks(t)
  await visitEach(links)
  assert.equal(await totalOf(service, links), LINKS)
  rmSync(join(service.dataDir, 'visitors'), { recursive: true })
  mkdirSync(join(service.dataDir, 'visitors'))
  await visitEach(links)
  assert.equal(await totalOf(service, links), 2 * LINKS)
  await poll(() => service.output().includes('visitor keys are recreated'))
})

test('a second quirl is refused also after the file lock was removed, and each file of the lock is taken again', async (t) => {
  const { service } = await startWithLinks(t)
  const { dataDir } = service
  const refuse = () => assert.rejects(start(t, dataDir), /another quirl is using DATA_DIR/)
  rmSync(join(dataDir, 'lock'))
  await refuse()
  await poll(() => service.output().includes('has taken it again'))
  rmSync(join(dataDir, '.lock'))
  await poll(() => existsSync(join(dataDir, '.lock')))
  await refuse()
  for (const name of ['lock', '.lock']) writeFileSync(join(dataDir, `${name}.new`), '')
  for (const name of ['lock', '.lock']) renameSync(join(dataDir, `${name}.new`), join(dataDir, name))
  await poll(() => service.output().split('has taken it again').length >= 4)
  await refuse()
  assert.equal((await tryCreation(service)).status, 201)
  const adopted = await command(dataDir, 'adopt', '--yes')
  assert.notEqual(adopted.status, 0)
})
