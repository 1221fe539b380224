import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { parse } from 'csv-parse/sync'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import { requireProgram } from './support/programs.ts'
import { create, post, put, startServer, visit, type Created, type TestServer } from './support/server.ts'

type Row = Record<string, string>

const bundleOf = (server: TestServer, link: Created, init?: RequestInit) =>
  fetch(`${server.url}/api/manage/${link.token}/bundle`, init)

/** The files of a bundle as `unzip` takes them out, having checked them. */
async function unzipped(t: TestContext, response: Response): Promise<(name: string) => string> {
  const folder = temporaryFolder(t)
  const archive = join(folder, 'link.zip')
  writeFileSync(archive, Buffer.from(await response.arrayBuffer()))
  mkdirSync(join(folder, 'files'))
  const { status, stderr } = spawnSync('unzip', ['-q', archive, '-d', join(folder, 'files')], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return (name) => readFileSync(join(folder, 'files', name), 'utf8')
}

const rowsOf = (text: string) => parse(text, { columns: true }) as Row[]
const sum = (rows: Row[], name: string) => rows.reduce((total, row) => total + Number(row[name]), 0)

test('the bundle has the link without its secrets, its counts and its scans', async (t) => {
  if (!requireProgram(t, 'unzip', 'unzip')) return
  const server = await startServer(t)
  const link = await create(server, {
    target: 'https://example.com/',
    alias: 'Menu',
    title: 'Ménu',
    utm: { utm_source: 'flyer' },
  })
  for (const path of ['menu', 'menu.q']) await visit(`${server.url}/${path}`)
  const change = { design: { shape: 'dots', fg: '#112233' }, password: 'correct-horse' }
  assert.equal((await put(`${server.url}/api/manage/${link.token}`, change)).status, 200)

  const response = await bundleOf(server, link)
  assert.equal(response.headers.get('content-type'), 'application/zip')
  assert.equal(response.headers.get('content-disposition'), 'attachment; filename="Menu.zip"')
  assert.equal(response.headers.get('cache-control'), 'no-store')
  const read = await unzipped(t, response)
  const text = read('link.json')
  const exported = JSON.parse(text)
  assert.ok(!text.includes(link.token) && !/scrypt|"(hash|webhook|manage_url)"/.test(text))
  const details = (await (await fetch(`${server.url}/api/manage/${link.token}`)).json()) as Record<string, unknown>
  for (const name of ['code', 'kind', 'target', 'payload', 'title', 'utm', 'rules', 'design', 'created_at', 'totals'])
    assert.deepEqual(exported[name], details[name], name)
  assert.deepEqual([exported.format, exported.version, exported.has_password], ['quirl-link', 1, true])

  const { humans, bots, unique_visitors: visitors } = exported.totals
  assert.ok(humans + bots > 0)
  const hours = rowsOf(read('quarter-hours.csv'))
  assert.deepEqual([sum(hours, 'humans'), sum(hours, 'bots')], [humans, bots])
  assert.equal(sum(hours, 'unique_humans') + sum(hours, 'unique_bots'), visitors)
  for (const name of ['days', 'months']) {
    const sources = rowsOf(read(`${name}.csv`)).filter(({ dimension }) => dimension === 'source')
    assert.equal(sum(sources, 'humans') + sum(sources, 'bots'), humans + bots, name)
  }
  assert.equal(read('scans.csv'), await (await fetch(`${server.url}/api/manage/${link.token}/scans.csv`)).text())
})

test('only the token of the owner reads the bundle, and a HEAD request takes no slot', async (t) => {
  const server = await startServer(t, {}, undefined, { slots: { exports: 0 } })
  const link = await create(server, { target: 'https://example.com/', alias: 'menu' })
  const shared = await post(`${server.url}/api/manage/${link.token}/share`, { csv: true })
  const { share_token: share } = (await shared.json()) as { share_token: string }
  const statusOf = async (path: string, init?: RequestInit) => (await fetch(`${server.url}/api/${path}`, init)).status
  assert.equal(await statusOf(`manage/${share}/bundle`), 404)
  assert.equal(await statusOf(`share/${share}/bundle`), 404)
  assert.equal(await statusOf('manage/bundle'), 404)
  const head = await bundleOf(server, link, { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'application/zip'])
  const refused = await bundleOf(server, link)
  assert.deepEqual([refused.status, refused.headers.get('content-disposition')], [503, null])
  assert.ok(refused.headers.get('retry-after'))
})

test('a client that disconnects within the bundle frees its slot, and nothing is logged as an error', async (t) => {
  const server = await startServer(t, {}, undefined, { slots: { exports: 1 } })
  const link = await create(server, { target: 'https://example.com/' })
  for (let round = 0; round < 3; round++) {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    undoLater(t, () => void socket.destroy())
    socket.write(`GET /api/manage/${link.token}/bundle HTTP/1.1\r\nhost: x\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.resetAndDestroy()
    await poll(async () => {
      const response = await bundleOf(server, link)
      await response.arrayBuffer()
      return response.status === 200
    })
  }
  assert.deepEqual(
    server.logged.filter(({ level }) => Number(level) >= 50),
    [],
  )
})
