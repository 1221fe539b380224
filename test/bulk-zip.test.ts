// The archive of the codes of a bulk request.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { parse } from 'csv-parse/sync'
import { temporaryFolder } from './support/cleanup.ts'
import { requireProgram } from './support/programs.ts'
import { post, startServer, type TestServer } from './support/server.ts'

const target = 'https://example.com/menu'
const dots = { shape: 'dots', fg: '#0b5a3c', frame: { text: 'Scan me' } }

const bulk = ({ url }: TestServer, rows: unknown, query: string) => post(`${url}/api/bulk?${query}`, rows)
const linksIn = async ({ services }: TestServer) =>
  (await services.db.read.selectFrom('links').select('id').execute()).length

interface Unpacked {
  folder: string
  files: string[]
  table: Record<string, string>[]
  manifest: Record<string, string>[]
}

/** Tests an archive with `unzip -t` and unpacks it. */
async function unpack(t: TestContext, response: Response): Promise<Unpacked> {
  assert.equal(response.status, 201)
  assert.equal(response.headers.get('content-type'), 'application/zip')
  const folder = temporaryFolder(t)
  const archive = join(temporaryFolder(t), 'links.zip')
  writeFileSync(archive, Buffer.from(await response.arrayBuffer()))
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  execFileSync('unzip', ['-t', '-qq', archive], { env })
  execFileSync('unzip', ['-qq', archive, '-d', folder], { env })
  const read = (name: string) =>
    parse(readFileSync(join(folder, name), 'utf8'), { columns: true }) as Record<string, string>[]
  const files = readdirSync(folder).filter((name) => !name.endsWith('.csv'))
  return { folder, files, table: read('links.csv'), manifest: read('manifest.csv') }
}

/** What a decoder reads in a PNG. */
const decode = (file: string) =>
  execFileSync('zbarimg', ['--quiet', '--raw', file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

test('an archive has each code as a PNG of its own design, the same as at its URL, and a decoder reads it', async (t) => {
  if (!requireProgram(t, 'unzip', 'unzip') || !requireProgram(t, 'zbarimg', 'zbar-tools')) return
  const server = await startServer(t)
  const rows = [{ target, design: dots }, { target }, { target, alias: 'menu', design: { fg: '#800000' } }]
  const { folder, table, manifest } = await unpack(t, await bulk(server, rows, 'qr=zip&format=png&size=640&dpi=300'))
  assert.equal(manifest.length, 3)
  for (const [at, { file = '', code, short_url: url }] of manifest.entries()) {
    assert.equal(file, `qr-${code}.png`)
    assert.equal(decode(join(folder, file)), `${url}?qr=1`)
    const same = await fetch(`${server.url}/${code}/qr.png?size=640&dpi=300`)
    assert.deepEqual(readFileSync(join(folder, file)), Buffer.from(await same.arrayBuffer()), `row ${at}`)
    assert.match(table[at]?.['token'] ?? '', /^[\w-]{43}$/)
  }
})

test('an archive of PDFs has the width that was asked for, and is the same as at the URL', async (t) => {
  if (!requireProgram(t, 'unzip', 'unzip')) return
  const server = await startServer(t)
  const { folder, manifest } = await unpack(
    t,
    await bulk(server, [{ target }, { target, design: dots }], 'qr=zip&format=pdf&width_mm=30'),
  )
  for (const { file = '', code } of manifest) {
    const same = await fetch(`${server.url}/${code}/qr.pdf?width_mm=30`)
    assert.deepEqual(readFileSync(join(folder, file)), Buffer.from(await same.arrayBuffer()), code ?? '')
  }
})

test('a code as small that its modules have fewer pixels than when it was checked is read back, and missing if it cannot be read', async (t) => {
  if (!requireProgram(t, 'unzip', 'unzip')) return
  const server = await startServer(t)
  const rows = [{ target, design: { shape: 'dots', frame: { text: 'Scan me', position: 'top' } } }, { target }]
  const { files, manifest } = await unpack(t, await bulk(server, rows, 'qr=zip&format=png&size=100'))
  for (const { file, code, error = '' } of manifest) {
    const { status } = await fetch(`${server.url}/${code}/qr.png?size=100`)
    assert.equal(status === 200, files.includes(file ?? ''), error)
    if (status !== 200) assert.match(error, /^unscannable: \/size is too small/)
  }
})

test('a row that is invalid, or whose code cannot be scanned, is in the manifest with its reason, and spoils no other', async (t) => {
  if (!requireProgram(t, 'unzip', 'unzip')) return
  const server = await startServer(t)
  const rows = [
    { target: 'nothing', title: 'No address' },
    { target, title: 'Pale', design: { fg: '#fefefe' } },
    { target, title: 'Menu', design: dots },
  ]
  const { files, manifest } = await unpack(t, await bulk(server, rows, 'qr=zip&format=png'))
  assert.deepEqual(
    manifest.map(({ file, title }) => [title, file !== '']),
    [
      ['No address', false],
      ['Pale', false],
      ['Menu', true],
    ],
  )
  assert.match(manifest[0]?.['error'] ?? '', /^invalid_request: \/target /)
  assert.match(manifest[1]?.['error'] ?? '', /\/design\/fg /)
  assert.deepEqual(files, [manifest[2]?.['file']])
})

test('files named by titles stay inside of the folder, on each system, and none replaces another', async (t) => {
  if (!requireProgram(t, 'unzip', 'unzip')) return
  const server = await startServer(t)
  const titles = ['../../escape', 'CON', '🍕 Pizza', 'Tisch 1', 'TISCH 1', 'Cafe\u0301']
  const rows = titles.map((title) => ({ target, title }))
  const { files, manifest } = await unpack(t, await bulk(server, rows, 'qr=zip&format=png&names=title'))
  const last = `TISCH 1 (${manifest[4]?.['code']}).png`
  assert.deepEqual(
    manifest.map(({ file }) => file),
    ['escape.png', '_CON.png', '🍕 Pizza.png', 'Tisch 1.png', last, 'Caf\u00E9.png'],
  )
  assert.deepEqual(files.toSorted(), manifest.map(({ file }) => file ?? '').toSorted())
})

test('sizes past their bounds, and what does not belong to the format, are refused before anything is created', async (t) => {
  const server = await startServer(t)
  const refused: [string, RegExp][] = [
    ['qr=zip&format=png&size=2049', /\/size must be at most 2048 for PNG/],
    ['qr=zip&format=png&size=99', /\/size must be .*100/],
    ['qr=zip&size=1000001', /\/size must be .*1000000/],
    ['qr=zip&format=pdf&size=512', /\/size must be left out for PDF/],
    ['qr=zip&format=pdf&width_mm=4', /\/width_mm must be .*5/],
    ['qr=zip&format=png&width_mm=50', /\/width_mm must be left out/],
    ['qr=zip&format=svg&dpi=300', /\/dpi must be left out/],
    ['format=png', /\/format must be json or csv without qr=zip/],
    ['size=512', /\/size is of the images of qr=zip/],
    ['names=title', /\/names is of the images of qr=zip/],
  ]
  for (const [query, detail] of refused) {
    const response = await bulk(server, [{ target }], query)
    assert.equal(response.status, 400, query)
    assert.match(((await response.json()) as { detail: string }).detail, detail)
  }
  assert.equal(await linksIn(server), 0)
})

test('a retry with the same Idempotency-Key returns an archive with the same tokens and designs', async (t) => {
  if (!requireProgram(t, 'unzip', 'unzip')) return
  const server = await startServer(t)
  const ask = () =>
    post(`${server.url}/api/bulk?qr=zip&format=png`, [{ target, design: dots }], {
      'idempotency-key': 'a-key-of-mine-123',
    })
  const [first, second] = [await unpack(t, await ask()), await unpack(t, await ask())]
  assert.deepEqual(second.table, first.table)
  const image = ({ folder, files: [name = ''] }: Unpacked) => readFileSync(join(folder, name))
  assert.deepEqual(image(second), image(first))
})

test('a retry of an archive counts as a bulk request, as its images are drawn again; one of a table does not', async (t) => {
  const server = await startServer(t, { LIMIT_BULK: '3' })
  const send = (query: string, key: string) =>
    post(`${server.url}/api/bulk?${query}`, [{ target }], { 'idempotency-key': `a-key-of-mine-${key}` })
  for (let tries = 0; tries < 5; tries++) assert.equal((await send('', 'table')).status, 201)
  const archive = await send('qr=zip', 'archive')
  assert.equal(archive.status, 201)
  await archive.arrayBuffer()
  assert.equal((await send('qr=zip', 'archive')).status, 201)
  const refused = await send('qr=zip', 'archive')
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.equal((await send('', 'table')).status, 201)
  assert.equal(await linksIn(server), 2)
})

test('a retry of an archive has no image of a code that was blocked or deleted meanwhile, and says why', async (t) => {
  if (!requireProgram(t, 'unzip', 'unzip')) return
  const server = await startServer(t)
  const send = () =>
    post(`${server.url}/api/bulk?qr=zip`, [{ target }, { target }, { target }], {
      'idempotency-key': 'a-key-of-mine-123',
    })
  const { table } = await unpack(t, await send())
  await server.services.abuse.operations['block']?.({ subject: table[1]?.['code'], reason: 'it phishes', legal: false })
  await fetch(`${server.url}/api/manage/${table[2]?.['token']}`, { method: 'DELETE' })
  const { manifest, files } = await unpack(t, await send())
  assert.deepEqual(files, [`qr-${table[0]?.['code']}.svg`])
  assert.match(manifest[1]?.['error'] ?? '', /^code_removed: /)
  assert.match(manifest[2]?.['error'] ?? '', /^code_gone: /)
})
