import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { isStoreUnavailable } from '../src/db/open.ts'
import { openJournalFile } from '../src/scans/journal/journal-file.ts'
import { startWarehouse } from '../src/scans/warehouse-client.ts'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { linkIdOf, linksIn } from './support/link-id.ts'
import { PATIENCE_MS, poll } from './support/poll.ts'
import { create, post, startServer, visit, type Created, type TestServer } from './support/server.ts'
import { noValues } from './support/no-values.ts'

const TARGET = { target: 'https://example.com/' }

async function metric({ url }: TestServer, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
}

async function scansOf(server: TestServer, { token }: Created): Promise<number> {
  const details = await fetch(`${server.url}/api/manage/${token}`)
  return ((await details.json()) as { totals: { scans: number } }).totals.scans
}

const remove = ({ url }: TestServer, { token }: Created) => fetch(`${url}/api/manage/${token}`, { method: 'DELETE' })

/** Takes the write lock of the warehouse, as another process would, until the returned function is called. */
function lockWarehouse(dataDir: string): () => void {
  const holder = new DatabaseSync(join(dataDir, 'scans.db'), { timeout: PATIENCE_MS })
  holder.exec('begin immediate')
  return () => {
    holder.exec('rollback')
    holder.close()
  }
}

async function purgesOf({ services }: TestServer): Promise<number[]> {
  const rows = await services.db.read.selectFrom('purges').select('link_id').execute()
  return rows.map((row) => row.link_id)
}

/** Makes a folder whose service was stopped after it had created a link. */
async function makeLink(t: TestContext): Promise<{ dataDir: string; link: Created; linkId: number }> {
  const server = await startServer(t)
  const link = await create(server, TARGET)
  await server.stop()
  return { dataDir: server.dataDir, link, linkId: linkIdOf(server.dataDir, link) }
}

test('damage of the journal is counted, logged once, kept, and still counted after a restart', async (t) => {
  const { dataDir, linkId } = await makeLink(t)
  const journal = join(dataDir, 'journal')
  const scan = {
    ...noValues,
    at: Date.now(),
    source: 'qr',
    device: null,
    os: null,
    browser: null,
    country: null,
    city: null,
  } as const
  const writer = openJournalFile(join(journal, '0.scans'), false)
  const line = [{ ...scan, linkId, referrer: null, bot: false, answer: null, visitor: 1 }]
  for (let at = 0; at < 5; at++) writer.append(line)
  writer.close()
  const content = readFileSync(join(journal, '0.scans'))
  content[15] = (content[15] ?? 0) ^ 4
  writeFileSync(join(journal, '0.scans'), content)

  for (const run of ['first', 'second']) {
    const server = await startServer(t, { DATA_DIR: dataDir })
    await poll(() => readdirSync(journal).every((name) => name === '0.scans.damaged' || name === 'next'))
    await server.services.scans.awaitFold()
    assert.equal(await metric(server, 'quirl_scans_lost_total'), 1)
    const lines = server.logged.filter((each) => /damaged/.test(JSON.stringify(each)))
    assert.deepEqual(
      lines.map((each) => each['files']),
      run === 'first' ? [['0.scans']] : [],
    )
    await server.stop()
  }
  assert.deepEqual(readFileSync(join(journal, '0.scans.damaged')), content)
})

test('a journal file that cannot be folded shows in /readyz and a metric, while the scans of all others count', async (t) => {
  const { dataDir } = await makeLink(t)
  mkdirSync(join(dataDir, 'journal', 'x.scans'))
  mkdirSync(join(dataDir, 'journal', '0.scans'))
  const server = await startServer(t, { DATA_DIR: dataDir })
  const link = await create(server, TARGET)
  await visit(link.short_url)
  assert.equal(await scansOf(server, link), 1)
  await poll(async () => (await fetch(`${server.url}/readyz`)).status === 503)
  assert.equal(await metric(server, 'quirl_fold_failing'), 1)
  await visit(link.short_url)
  assert.equal(await scansOf(server, link), 2)
  assert.ok(server.logged.some((each) => JSON.stringify(each).includes('x.scans')))
  for (const name of ['x.scans', '0.scans']) rmdirSync(join(dataDir, 'journal', name))
  await poll(async () => (await fetch(`${server.url}/readyz`)).status === 200)
  assert.equal(await metric(server, 'quirl_fold_failing'), 0)
})

test('a deletion succeeds while the warehouse is locked, and its scans are removed once it is not', async (t) => {
  const server = await startServer(t)
  const [link, other] = [await create(server, TARGET), await create(server, TARGET)]
  const [id, otherId] = [linkIdOf(server.dataDir, link), linkIdOf(server.dataDir, other)]
  for (const each of [link, other]) await visit(each.short_url)
  assert.equal(await scansOf(server, link), 1)
  const unlock = lockWarehouse(server.dataDir)
  for (const each of [link, other]) await visit(each.short_url)
  const response = await remove(server, link)
  assert.deepEqual([response.status, await response.json()], [200, { deleted: true, code: link.code }])
  assert.deepEqual(linksIn(server.dataDir), [id, otherId])
  await poll(() => server.logged.some((each) => /locked/.test(JSON.stringify(each))))
  assert.deepEqual(await purgesOf(server), [id])
  unlock()
  await poll(async () => (await purgesOf(server)).length === 0)
  assert.deepEqual(linksIn(server.dataDir), [otherId])
  assert.equal(await scansOf(server, other), 2)
})

test('a deletion whose scans could not be removed before the process ended is completed by the next start', async (t) => {
  const dataDir = temporaryFolder(t)
  const first = await startServer(t, { DATA_DIR: dataDir })
  const [link, other] = [await create(first, TARGET), await create(first, TARGET)]
  const [id, otherId] = [linkIdOf(dataDir, link), linkIdOf(dataDir, other)]
  for (const each of [link, other]) await visit(each.short_url)
  assert.equal(await scansOf(first, link), 1)
  const unlock = lockWarehouse(dataDir)
  for (const each of [link, other]) await visit(each.short_url)
  assert.equal((await remove(first, link)).status, 200)
  await first.stop()
  unlock()
  assert.deepEqual(linksIn(dataDir), [id, otherId])
  const second = await startServer(t, { DATA_DIR: dataDir })
  await poll(async () => (await purgesOf(second)).length === 0)
  assert.deepEqual(linksIn(dataDir), [otherId])
  assert.equal(await scansOf(second, other), 2)
  assert.deepEqual(second.logged, [])
})

test('a deletion stays on record while a file exists that may contain its scans', async (t) => {
  const dataDir = temporaryFolder(t)
  const server = await startServer(t, { DATA_DIR: dataDir })
  const link = await create(server, TARGET)
  const id = linkIdOf(dataDir, link)
  await visit(link.short_url)
  assert.equal(await scansOf(server, link), 1)
  mkdirSync(join(dataDir, 'journal', 'x.scans'))
  assert.equal((await remove(server, link)).status, 200)
  await poll(() => linksIn(dataDir).length === 0)
  for (let fold = 0; fold < 5; fold++) assert.equal(await server.services.scans.awaitFold(), false)
  assert.deepEqual(await purgesOf(server), [id])
  rmdirSync(join(dataDir, 'journal', 'x.scans'))
  await poll(async () => (await purgesOf(server)).length === 0)
})

/** Overwrites the tables of the warehouse that statistics are read from. */
function damageStatistics(dataDir: string): void {
  const file = join(dataDir, 'scans.db')
  const db = new DatabaseSync(file, { timeout: PATIENCE_MS })
  // A change by another connection makes the service read its pages anew.
  db.exec('create table other (a); drop table other; pragma wal_checkpoint(truncate)')
  const { page_size: size } = db.prepare('pragma page_size').get() as { page_size: number }
  const roots = db
    .prepare("select rootpage from sqlite_schema where name in ('totals', 'quarter_hourly', 'daily', 'monthly')")
    .all() as { rootpage: number }[]
  db.close()
  const content = readFileSync(file)
  for (const { rootpage } of roots) content.fill(0xff, (rootpage - 1) * size, rootpage * size)
  writeFileSync(file, content)
}

test('while the statistics are damaged, the page of the owner shows all the rest and says so, and a share is unavailable', async (t) => {
  const server = await startServer(t)
  const link = await create(server, { ...TARGET, title: 'Menu' })
  const shared = await post(`${server.url}/api/manage/${link.token}/share`, {})
  const { share_url: shareUrl } = (await shared.json()) as { share_url: string }
  damageStatistics(server.dataDir)
  const headers = { accept: 'text/html' }
  const page = await fetch(`${server.url}/m/${link.token}`, { headers })
  assert.equal(page.status, 200)
  const text = await page.text()
  for (const shown of [
    /<h1 lang="" dir="auto">Menu</,
    /The statistics cannot be shown at the moment\./,
    /id="destination".*id="design".*id="settings".*id="delete"/s,
    /The visits of this link cannot be counted at the moment\./,
  ])
    assert.match(text, shown)
  const share = await fetch(shareUrl, { headers })
  assert.equal(share.status, 503)
  assert.match(share.headers.get('content-type') ?? '', /^text\/html/)
  const form = (fields: Record<string, string>) =>
    fetch(`${server.url}/m/${link.token}`, { method: 'POST', headers, body: new URLSearchParams(fields) })
  assert.equal((await form({ action: 'delete', confirmed: 'yes' })).status, 503)
  // The redirect leads to the page that brings it back.
  assert.equal((await form({ action: 'delete', code: link.code })).status, 410)
})

test('an error of the warehouse keeps its code across the thread boundary: a lock means unavailable, not broken', async (t) => {
  const folder = temporaryFolder(t)
  for (const name of ['journal', 'visitors']) mkdirSync(join(folder, name))
  const files = {
    warehouse: join(folder, 'scans.db'),
    journal: join(folder, 'journal'),
    visitors: join(folder, 'visitors'),
    instance: 'this',
  }
  const warehouse = startWarehouse(
    { module: new URL('../src/scans/sqlite/warehouse-thread.ts', import.meta.url), data: files },
    assert.ifError,
  )
  undoLater(t, () => warehouse.close())
  await warehouse.call('totals', [1])
  const unlock = lockWarehouse(folder)
  const error: unknown = await warehouse.call('purge', [1]).catch((thrown: unknown) => thrown)
  unlock()
  assert.ok(error instanceof Error && /locked/.test(error.message))
  assert.equal(isStoreUnavailable(error), true)
  await warehouse.call('purge', [1])
})

test('the end of the process interrupts a fold, and the next start folds the rest once', async (t) => {
  const { dataDir, link, linkId } = await makeLink(t)
  const journal = join(dataDir, 'journal')
  const LINES = 200
  const ROWS = 1000
  const writer = openJournalFile(join(journal, '0.scans'), false)
  const at = Date.now()
  const row = { ...noValues, linkId, source: 'link', device: null, os: null, browser: null, country: null } as const
  for (let line = 0; line < LINES; line++) {
    const scan = (index: number) => ({
      ...row,
      at,
      city: null,
      referrer: null,
      bot: false,
      answer: null,
      visitor: line * ROWS + index,
    })
    writer.append(Array.from({ length: ROWS }, (_, index) => scan(index)))
  }
  writer.close()
  const first = await startServer(t, { DATA_DIR: dataDir })
  await first.stop()
  t.diagnostic(`left for the next start: ${readdirSync(journal).join(' ') || 'nothing'}`)
  assert.deepEqual(first.logged, [])
  const second = await startServer(t, { DATA_DIR: dataDir })
  await poll(async () => (await metric(second, 'quirl_journal_backlog_bytes')) === 0)
  assert.equal(await scansOf(second, link), LINES * ROWS)
})
