// The program on a file system that turns read-only, and with a log that cannot be written.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from './support/cleanup.ts'
import { failingDisk } from './support/failing-disk.ts'
import { buildFaults, type Fault } from './support/faults.ts'
import { poll } from './support/poll.ts'
import { exitOf, start, type Service } from './support/program.ts'
import { create, post, visit, type Created } from './support/server.ts'
import { UNLIMITED } from './support/workload.ts'

const LINKS = 60
const AWAY = /the store cannot be reached/

/** Starts the service with links that no visit has read yet. */
async function startWithLinks(t: TestContext, dataDir: string, env: Record<string, string> = {}) {
  const service = await start(t, dataDir, UNLIMITED, { env })
  const links: Created[] = []
  for (let at = 0; at < LINKS; at++) links.push(await create(service, { target: `https://example.com/${at}` }))
  return { service, links }
}

/** Visits links that are not in the cache. */
async function visitEach(links: Created[]): Promise<void> {
  for (const link of links) assert.equal((await visit(link.short_url)).status, 302)
}

/** Sends a creation, which must be refused. */
async function refuseCreation(service: Service): Promise<void> {
  const refused = await post(`${service.url}/api/links`, { target: 'https://example.com/refused' })
  assert.equal(refused.status, 503)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.match(((await refused.json()) as { detail: string }).detail, /may or may not have been saved/)
}

async function isNotReady(service: Service): Promise<void> {
  const response = await fetch(`${service.url}/readyz`)
  assert.equal(response.status, 503)
  assert.doesNotMatch(await response.text(), /saved/)
}

test('on a file system that has turned read-only, visits of links that are not cached and reads of owners go on, also after creations that fail', async (t) => {
  const disk = failingDisk(t)
  if (disk === undefined) return
  const { service, links } = await startWithLinks(t, disk.folder, disk.env)
  const [before, after] = [links.slice(0, LINKS / 2), links.slice(LINKS / 2)]
  disk.fail()
  await visitEach(before)
  for (let time = 0; time < 3; time++) await refuseCreation(service)
  await poll(() => AWAY.test(service.output()))
  await visitEach(after)
  for (const link of links.slice(0, 5)) {
    const details = await fetch(`${service.url}/api/manage/${link.token}`)
    assert.equal(details.status, 200)
  }
  await isNotReady(service)
  service.process.kill('SIGTERM')
  await exitOf(service)
  await disk.mountAgain()
  const again = await start(t, disk.folder, UNLIMITED, { env: disk.env })
  for (const link of links) assert.equal((await fetch(`${again.url}/api/manage/${link.token}`)).status, 200)
  again.process.kill('SIGTERM')
  await exitOf(again)
})

const failures: [name: string, ...faults: Fault[]][] = [
  ['write', { operation: 'write', error: 'EIO', files: '*/links.db-wal' }],
  ['sync', { operation: 'sync', error: 'EIO', files: '*/links.db-wal' }],
  [
    'write and cannot be opened to write',
    { operation: 'write', error: 'EROFS', files: '*/links.db*' },
    { operation: 'create', error: 'EROFS', files: '*' },
  ],
]

for (const [name, ...made] of failures) {
  test(`when a creation meets a log that fails to ${name}, visits of links that are not cached go on, and changes when it is well`, async (t) => {
    const faults = buildFaults(t)
    if (faults === undefined) return
    const { service, links } = await startWithLinks(t, temporaryFolder(t), faults.env)
    faults.set(...made)
    await refuseCreation(service)
    await poll(() => AWAY.test(service.output()))
    await visitEach(links)
    await isNotReady(service)
    faults.clear()
    await poll(
      async () => (await post(`${service.url}/api/links`, { target: 'https://example.com/again' })).status === 201,
    )
    for (const link of links) assert.equal((await fetch(`${service.url}/api/manage/${link.token}`)).status, 200)
  })
}

test('while no link can be read, the answer of a visit does not say that a change may have been saved, and readers reopen by themselves where nothing can be written', async (t) => {
  const faults = buildFaults(t)
  if (faults === undefined) return
  const { service, links } = await startWithLinks(t, temporaryFolder(t), faults.env)
  const unwritable: Fault[] = [
    { operation: 'write', error: 'EROFS', files: '*/links.db*' },
    { operation: 'create', error: 'EROFS', files: '*' },
  ]
  faults.set(...unwritable, { operation: 'read', error: 'EIO', files: '*/links.db*' })
  await refuseCreation(service)
  let refused = 0
  for (const { short_url: url } of links) {
    const response = await visit(url)
    if (response.status === 302) continue
    refused++
    assert.equal(response.status, 503)
    const text = await response.text()
    assert.match(text, AWAY)
    assert.doesNotMatch(text, /saved/)
  }
  assert.ok(refused > 0)
  faults.set(...unwritable)
  const isRead = async () => {
    for (const { short_url: url } of links) if ((await visit(url)).status !== 302) return false
    return true
  }
  await poll(isRead)
})
