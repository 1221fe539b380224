import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { command } from './support/cli.ts'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { readWithZxing } from './support/decoders.ts'
import { documentedBlocks } from './support/doc-blocks.ts'
import { program } from './support/program.ts'
import { post, put, startServer, visit } from './support/server.ts'

/** Starts `quirl mcp` for a service, as an assistant does. */
async function connect(t: TestContext, url: string, more: Record<string, string> = {}) {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const env = { PATH: process.env['PATH'] ?? '', XDG_CONFIG_HOME: temporaryFolder(t), QUIRL_SERVER: url, ...more }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, 'mcp', '--keep'], env }))
  undoLater(t, () => client.close())
  const call = async (name: string, input: object) =>
    client.callTool({ name, arguments: input as Record<string, unknown> })
  return { client, call }
}

test('an assistant creates, reads, changes and counts a link, and shows its QR code', async (t) => {
  const { url } = await startServer(t)
  const { client, call } = await connect(t, url)
  const data = async (name: string, input: object) =>
    (await call(name, input)).structuredContent as Record<string, never>

  const { tools } = await client.listTools()
  const names = [
    'add_to_collection',
    'change_link',
    'create_collection',
    'create_link',
    'draw_qr_code',
    'list_links',
    'read_collection',
    'read_collection_statistics',
    'read_link',
    'read_statistics',
  ]
  assert.deepEqual(tools.map(({ name }) => name).sort(), names)

  const created = await data('create_link', { target: 'https://example.com/menu', alias: 'menu', title: 'Menu' })
  assert.equal(created['short_url'], `${url}/menu`)
  await visit(`${url}/menu`)
  const link = created['manage_url']
  assert.equal((await data('read_link', { link }))['title'], 'Menu')
  assert.equal(
    (await data('change_link', { link, target: 'https://example.com/new' }))['target'],
    'https://example.com/new',
  )
  assert.equal((await visit(`${url}/menu`)).headers.get('location'), 'https://example.com/new')
  const { totals } = (await data('read_statistics', { link: 'menu', days: 7 })) as { totals?: { scans: number } }
  assert.equal(totals?.scans, 2, 'a kept token is found by its code')
  const filtered = await data('read_statistics', { link: 'menu', source: ['qr'], country: ['DE', '~'] })
  assert.equal((filtered as { totals?: { scans: number } }).totals?.scans, 0)
  const window = { link: 'menu', from: '2024-01-31', to: '2024-02-29', interval: 'month' }
  const { series } = (await data('read_statistics', window)) as { series?: { date: string }[] }
  assert.deepEqual(
    series?.map(({ date }) => date),
    ['2024-01-31', '2024-02-01'],
  )

  const [image] = (await call('draw_qr_code', { code: 'menu' })).content
  assert.ok(image?.type === 'image' && image.mimeType === 'image/png')
  const [reading] = await readWithZxing(Buffer.from(image.data, 'base64'))
  assert.equal(reading?.text, `${url}/menu?qr=1`)

  const refused = await call('create_link', { target: 'http://10.0.0.1/' })
  assert.equal(refused.isError, true)
  assert.match(JSON.stringify(refused.content), /\/target must have a public host/)
  const unclear = await call('draw_qr_code', {})
  assert.match(JSON.stringify(unclear.content), /give either code or data/)
  const unknown = await call('read_link', { link: 'nothing' })
  assert.match(JSON.stringify(unknown.content), /no token of \\"nothing\\" was kept/)
})

test('the configuration in docs/mcp.md starts a server with the tools that the page lists, and only those that it names return a token', async (t) => {
  const { url } = await startServer(t)
  const page = readFileSync(new URL('../docs/mcp.md', import.meta.url), 'utf8')
  const shown = documentedBlocks().find((block) => block.page === 'docs/mcp.md' && block.language === 'json')
  const { mcpServers } = JSON.parse(shown?.text ?? '') as {
    mcpServers: { quirl: { command: string; args: string[]; env: Record<string, string> } }
  }
  const { command: installed, args, env } = mcpServers.quirl
  assert.ok(installed.endsWith('/node_modules/.bin/quirl'))
  assert.deepEqual(Object.keys(env), ['QUIRL_SERVER'])
  const folder = temporaryFolder(t)
  const path = `${dirname(process.execPath)}:${process.env['PATH']}`
  const client = new Client({ name: 'test', version: '1.0.0' })
  // npm's link in .bin leads to this file.
  const machine = { PATH: path, HOME: folder }
  await client.connect(new StdioClientTransport({ command: program, args, env: { ...machine, QUIRL_SERVER: url } }))
  undoLater(t, () => client.close())
  const { tools } = await client.listTools()
  const rows = Array.from(page.matchAll(/^\| `(\w+)` +\|/gm), ([, name]) => name)
  assert.deepEqual(tools.map(({ name }) => name).toSorted(), rows.toSorted())

  const call = async (name: string, input: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: input })
    assert.notEqual(result.isError, true, JSON.stringify(result))
    return JSON.stringify(result)
  }
  const results = [
    ['create_collection', await call('create_collection', { name: 'Shop' })],
    ['create_link', await call('create_link', { target: 'https://example.com/', alias: 'menu' })],
    ['add_to_collection', await call('add_to_collection', { collection: 'shop', links: ['menu'] })],
    ...(await Promise.all(
      ['read_collection', 'list_links', 'read_collection_statistics'].map(async (name) => [
        name,
        await call(name, { collection: 'shop' }),
      ]),
    )),
    ...(await Promise.all(
      ['read_link', 'change_link', 'read_statistics'].map(async (name) => [name, await call(name, { link: 'menu' })]),
    )),
    ['draw_qr_code', await call('draw_qr_code', { code: 'menu' })],
  ] as [string, string][]
  assert.equal(results.length, tools.length)
  const kept = JSON.parse(readFileSync(join(folder, '.config/quirl/tokens.json'), 'utf8')) as {
    [server: string]: { menu: string }
  }
  const ofCollections = JSON.parse(readFileSync(join(folder, '.config/quirl/collections.json'), 'utf8')) as {
    [server: string]: { shop: string }
  }
  const tokens = [kept[url]?.menu ?? '', ofCollections[url]?.shop ?? '']
  assert.ok(tokens.every((token) => token.length > 0))
  const [, telling = ''] = /The results of (.*?) have the `manage_url`/s.exec(page) ?? []
  assert.deepEqual(
    results.filter(([, result]) => tokens.some((token) => result.includes(token))).map(([name]) => name),
    Array.from(telling.matchAll(/`(\w+)`/g), ([, name]) => name),
  )
})

/** What the tools for collections return. */
interface Found {
  token: string
  manage_url: string
  design: { fg: string }
  added: number
  links: { code: string }[]
  next: string | null
  looks: object
}

test('an assistant fills a collection with links that have its look, finds them, and counts a campaign', async (t) => {
  const { url } = await startServer(t)
  const { call } = await connect(t, url)
  const data = async (name: string, input: object) => {
    const { structuredContent, content, isError } = await call(name, input)
    assert.notEqual(isError, true, JSON.stringify(content))
    return structuredContent as Partial<Found>
  }
  const { token, manage_url: page } = await data('create_collection', { name: 'Shop' })
  await put(`${url}/api/collections/${token}`, { looks: { blue: { fg: '#123456' } } })
  const target = 'https://example.com/menu'
  for (const alias of ['t1', 't2']) {
    const fields = { campaign: alias === 't1' ? 'tables' : 'windows' }
    const created = await data('create_link', { target, alias, collection: 'shop', look: 'blue', fields })
    assert.equal(created.design?.fg, '#123456')
  }
  await data('create_link', { target, alias: 'alone' })
  const joined = await data('add_to_collection', { collection: page, links: ['alone'] })
  assert.equal(joined.added, 1)
  await visit(`${url}/t1`)
  const found = await data('list_links', { collection: 'shop', q: 'menu', campaign: 'tables' })
  assert.deepEqual(
    found.links?.map(({ code }) => code),
    ['t1'],
  )
  const first = await data('list_links', { collection: 'shop', limit: 2, order: 'asc' })
  const rest = await data('list_links', { collection: 'shop', limit: 2, order: 'asc', cursor: first.next })
  assert.deepEqual(
    rest.links?.map(({ code }) => code),
    ['alone'],
  )
  const campaign = await call('read_collection_statistics', { collection: 'shop', campaign: 'tables', days: 7 })
  const { links, totals } = campaign.structuredContent as { links: number; totals: { scans: number } }
  assert.deepEqual([links, totals.scans], [1, 1])
  assert.deepEqual(Object.keys((await data('read_collection', { collection: 'shop' })).looks ?? {}), ['blue'])

  const unknown = await call('create_link', { target, alias: 'none', collection: 'winter' })
  assert.match(JSON.stringify(unknown.content), /no collection \\"winter\\" was kept/)
  assert.equal((await visit(`${url}/none`)).status, 404)
})

test('a link that is found by a kept collection is read and changed without the address of the collection', async (t) => {
  const { url } = await startServer(t)
  const { call } = await connect(t, url)
  const { structuredContent } = await call('create_collection', { name: 'Shop' })
  const { token } = structuredContent as { token: string }
  // Its own token is kept nowhere.
  await post(`${url}/api/links`, { target: 'https://example.com/', alias: 'menu' }, { 'quirl-collection': token })
  for (const [name, input] of [
    ['read_link', {}],
    ['change_link', { title: 'Menu' }],
    ['read_statistics', {}],
  ] as const) {
    const result = await call(name, { link: 'menu', ...input })
    assert.notEqual(result.isError, true, JSON.stringify(result))
    assert.ok(!JSON.stringify(result).includes(token), name)
  }
})

test('where the operator asks for a key, an assistant creates with the one of QUIRL_CREATE_KEY, and not without', async (t) => {
  const { url, dataDir } = await startServer(t, { CREATE: 'token' })
  const key = (await command(dataDir, 'keys', 'add', 'assistant')).stdout.trim()
  const target = 'https://example.com/menu'
  const refused = await (await connect(t, url)).call('create_link', { target })
  assert.equal(refused.isError, true)
  assert.match(JSON.stringify(refused.content), /access code/)
  assert.ok(!JSON.stringify(refused).includes(key))
  const { call } = await connect(t, url, { QUIRL_CREATE_KEY: key })
  const { structuredContent } = await call('create_link', { target, alias: 'menu' })
  assert.equal((structuredContent as { short_url?: string }).short_url, `${url}/menu`)
  assert.equal((await visit(`${url}/menu`)).headers.get('location'), target)
})

test('a field that the service does not know is refused, so that the assistant learns of it, and nothing is created', async (t) => {
  const { url } = await startServer(t)
  const { call } = await connect(t, url)
  const unknown = {
    target: 'https://example.com/menu',
    alias: 'strict',
    fields: { expires_at: '2027-01-01', tilte: 'x' },
  }
  const refused = await call('create_link', unknown)
  assert.equal(refused.isError, true)
  assert.match(JSON.stringify(refused.content), /\/expires_at is not known here; \/tilte .*did you mean \\+"title/)
  assert.equal((await visit(`${url}/strict`)).status, 404)
})

test('whatever address a text has the assistant name, nothing but the service is called, and nobody else gets the access code', async (t) => {
  const called: unknown[] = []
  const stranger = createServer(({ url, headers }, response) => {
    called.push([url, headers.authorization])
    response.setHeader('content-type', 'application/json').end('{"of": "the network of the person"}')
  })
  stranger.listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  undoLater(t, () => void stranger.close())
  const elsewhere = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
  const { url } = await startServer(t)
  const key = 'K'.repeat(43)
  const { call } = await connect(t, url, { QUIRL_CREATE_KEY: key })
  const { manage_url: page } = (await call('create_collection', { name: 'Shop' })).structuredContent as {
    manage_url: string
  }
  const own = page.slice(page.lastIndexOf('/'))
  const unknown = `collection_${'A'.repeat(43)}`
  const target = 'https://example.com/'
  const refused = [
    await call('create_link', { target, collection: `${elsewhere}/c/${unknown}` }),
    await call('read_collection', { collection: `${elsewhere}/c/${unknown}` }),
    await call('read_link', { link: `${elsewhere}/m/${'A'.repeat(43)}` }),
    await call('read_statistics', { link: `${elsewhere}/m/${'A'.repeat(43)}` }),
    await call('change_link', { link: `${elsewhere}/abc`, title: 'x' }),
    await call('add_to_collection', { collection: `${elsewhere}/c/${unknown}`, links: [page] }),
  ]
  assert.deepEqual(
    refused.map(({ isError }) => isError),
    refused.map(() => true),
  )
  // The same service may have several addresses.
  const created = (await call('create_link', { target, collection: `${elsewhere}/c${own}` })).structuredContent
  const link = (created as { manage_url: string }).manage_url.replace(url, elsewhere)
  assert.notEqual((await call('read_link', { link })).isError, true)
  const added = await call('add_to_collection', { collection: `${elsewhere}/c${own}`, links: [link] })
  assert.notEqual(added.isError, true, JSON.stringify(added))
  assert.deepEqual(called, [])
})
