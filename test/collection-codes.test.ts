// The images of the links of a collection: `GET /api/collections/<token>/codes.zip`.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { parse } from 'csv-parse/sync'
import { temporaryFolder } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { requireProgram } from './support/programs.ts'
import { post, startServer, type TestServer } from './support/server.ts'

const target = 'https://example.com/menu'
const dots = { shape: 'dots', fg: '#0b5a3c' }

/** A new collection with links. */
async function collect({ url }: TestServer, rows: object[]): Promise<{ token: string; api: string }> {
  const { token } = (await (await post(`${url}/api/collections`, {})).json()) as { token: string }
  for (let from = 0; from < rows.length; from += 500) {
    const answer = await post(`${url}/api/bulk`, rows.slice(from, from + 500), { 'quirl-collection': token })
    assert.equal(answer.status, 201)
  }
  return { token, api: `${url}/api/collections/${token}` }
}

async function unpack(t: TestContext, response: Response) {
  assert.equal(response.status, 200, await response.clone().text())
  assert.equal(response.headers.get('content-type'), 'application/zip')
  const folder = temporaryFolder(t)
  const archive = join(temporaryFolder(t), 'codes.zip')
  writeFileSync(archive, Buffer.from(await response.arrayBuffer()))
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  execFileSync('unzip', ['-t', '-qq', archive], { env })
  execFileSync('unzip', ['-qq', archive, '-d', folder], { env })
  const text = readFileSync(join(folder, 'manifest.csv'), 'utf8')
  return { folder, text, manifest: parse(text, { columns: true }) as Record<string, string>[] }
}

const errorsOf = async (response: Response) => {
  const { errors = [] } = (await response.json()) as { errors?: { pointer: string }[] }
  return [response.status, ...errors.map(({ pointer }) => pointer)]
}

test('the archive has the image of each link of a collection, the same as at its URL, and no token', async (t) => {
  if (!requireProgram(t, 'unzip', 'unzip')) return
  const server = await startServer(t)
  const { token, api } = await collect(server, [
    { target, alias: 'menu', title: 'Menu', campaign: 'spring' },
    { target, design: dots, title: 'menu' },
    { kind: 'vcard', firstName: 'Ada', campaign: 'spring' },
  ])
  const { folder, text, manifest } = await unpack(t, await fetch(`${api}/codes.zip?format=png&size=640&names=title`))
  assert.deepEqual(
    manifest.map(({ file, title, error }) => [file?.replace(/qr-\w+|\(\w+\)/, '…'), title, error]),
    [
      ['Menu.png', 'Menu', ''],
      ['menu ….png', 'menu', ''],
      ['….png', '', ''],
    ],
  )
  for (const { file = '', code = '' } of manifest) {
    const same = await fetch(`${server.url}/${code}/qr.png?size=640`)
    assert.deepEqual(readFileSync(join(folder, file)), Buffer.from(await same.arrayBuffer()), code)
  }
  assert.doesNotMatch(text, /[\w-]{43}/)
  const byHeader = `${server.url}/api/collections/codes.zip?campaign=spring`
  const some = await unpack(t, await fetch(byHeader, { headers: { authorization: `Bearer ${token}` } }))
  assert.deepEqual(
    some.manifest.map(({ file }) => file?.replace(/-\w{7}\./, '-….')),
    ['qr-menu.svg', 'qr-….svg'],
  )
})

test('a link that is blocked has no image, and the manifest says why', async (t) => {
  if (!requireProgram(t, 'unzip', 'unzip')) return
  const server = await startServer(t)
  const { api } = await collect(server, [
    { target, alias: 'kept' },
    { target: 'https://bad.example.com/', alias: 'blocked' },
  ])
  const blocked = await command(server.dataDir, 'block', 'blocked', '--reason=phishing')
  assert.equal(blocked.status, 0, blocked.stderr)
  const { manifest } = await unpack(t, await fetch(`${api}/codes.zip`))
  assert.deepEqual(
    manifest.map(({ file, code }) => [code, file]),
    [
      ['kept', 'qr-kept.svg'],
      ['blocked', ''],
    ],
  )
  assert.match(manifest[1]?.['error'] ?? '', /^code_removed: /)
})

test('more than 500 links are sent in parts, and what does not exist is refused with its bound', async (t) => {
  if (!requireProgram(t, 'unzip', 'unzip')) return
  // Two of the refused ones have read links, and count as an image each.
  const server = await startServer(t, { LIMIT_QR: '53', LIMIT_LINKS: '0' })
  const { api } = await collect(
    server,
    Array.from({ length: 503 }, (_, n) => ({ target, alias: `n-${n}` })),
  )
  const refused: [string, ...string[]][] = [
    ['part=3', '/part'],
    ['part=0', '/part'],
    ['part=21', '/part'],
    ['campaign=none', '/campaign'],
    ['format=gif', '/format'],
    ['format=png&size=2049', '/size'],
    ['format=pdf&size=512', '/size'],
    ['width_mm=50', '/width_mm'],
  ]
  for (const [query, ...pointers] of refused)
    assert.deepEqual(await errorsOf(await fetch(`${api}/codes.zip?${query}`)), [400, ...pointers], query)
  const first = await unpack(t, await fetch(`${api}/codes.zip`))
  assert.deepEqual([first.manifest.length, first.manifest.at(-1)?.['code']], [500, 'n-499'])
  const second = await unpack(t, await fetch(`${api}/codes.zip?part=2`))
  assert.deepEqual(
    second.manifest.map(({ code }) => code),
    ['n-500', 'n-501', 'n-502'],
  )
  const beyond = await fetch(`${api}/codes.zip?part=2`)
  assert.equal(beyond.status, 429, 'ten codes count as one image')
  const unread = await fetch(`${api}/codes.zip?part=3`)
  assert.equal(unread.status, 429, 'whether there is a part is looked up once an image is charged')
})

test('the page of a collection downloads the archive by a form without scripts, and says in its language what there is not', async (t) => {
  if (!requireProgram(t, 'unzip', 'unzip')) return
  const server = await startServer(t)
  const { token } = await collect(server, [
    { target, title: 'Tisch 1', campaign: 'Frühling' },
    { target, title: 'Tisch 2' },
  ])
  const headers = { accept: 'text/html', 'accept-language': 'de' }
  const page = await (await fetch(`${server.url}/c/${token}`, { headers })).text()
  const form = /<form[^>]*action="([^"]*\/codes\.zip)".*?<\/form>/s.exec(page)
  assert.match(form?.[0] ?? '', /Frühling/)
  assert.match(form?.[0] ?? '', /ZIP herunterladen/)
  const ask = (query: string) => fetch(`${server.url}${form?.[1] ?? ''}?${query}`, { headers })
  const { manifest } = await unpack(t, await ask('format=pdf&names=title&campaign='))
  assert.deepEqual(
    manifest.map(({ file }) => file),
    ['Tisch 1.pdf', 'Tisch 2.pdf'],
  )
  const none = await ask('format=svg&names=title&campaign=Herbst')
  assert.equal(none.status, 400)
  assert.match(await none.text(), /Ein solches ZIP gibt es nicht.*Nur die Kampagne: Hier gibt es keine Links/s)
})
