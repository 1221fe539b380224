import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { stylesheets } from '../src/styles/stylesheets.ts'
import { endOfFile } from './support/cleanup.ts'
import { create, startServer, type TestServer } from './support/server.ts'
import manifest from '../package.json' with { type: 'json' }

const end = endOfFile()
let server: TestServer
before(async () => {
  server = await startServer(end)
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers: { accept: 'text/html', ...headers } })

test('browsers and robots find the files that they look for, and need not load them again', async () => {
  const types: [string, string][] = [
    ['/robots.txt', 'text/plain; charset=utf-8'],
    ['/favicon.ico', 'image/x-icon'],
    ['/assets/quirl.svg', 'image/svg+xml'],
    ['/assets/icon-180.png', 'image/png'],
    ['/assets/icon-512.png', 'image/png'],
    ['/assets/quirl.webmanifest', 'application/manifest+json'],
  ]
  for (const [path, type] of types) {
    const response = await get(path)
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, type], path)
    const again = await get(path, { 'if-none-match': response.headers.get('etag') ?? '' })
    assert.equal(again.status, 304, path)
  }
  const { icons } = (await (await get('/assets/quirl.webmanifest')).json()) as { icons: { src: string }[] }
  for (const { src } of icons) assert.equal((await get(src)).status, 200, src)
  assert.match(await (await get('/robots.txt')).text(), /^Disallow: \/m\/$/m)
})

test('the page about privacy is in the language of its reader', async () => {
  const [english, german] = await Promise.all(
    ['en-GB', 'de-AT,de;q=0.9,en;q=0.8'].map((language) => get('/privacy', { 'accept-language': language })),
  )
  assert.match((await english?.text()) ?? '', /<html lang="en">.*Never stored.*your IP address/s)
  assert.match((await german?.text()) ?? '', /<html lang="de">.*Nie gespeichert.*Ihre IP-Adresse/s)
  assert.match(german?.headers.get('vary') ?? '', /accept-language/)
})

test('the page about privacy says how long visits are kept, and where requests are counted', async (t) => {
  assert.match(await (await get('/privacy')).text(), /Until the link is deleted\..*The digests are in its memory only/s)
  const limited = await startServer(t, { SCAN_RETENTION: '90d' })
  assert.match(
    await (await fetch(`${limited.url}/privacy`)).text(),
    /Each visit is deleted after 90 days\. Numbers .* kept until the link is deleted: .* quarter of an hour.* website/s,
  )
})

test('the footer leads to the report of a link, to privacy and to the other language, and has the version', async () => {
  const { version, homepage }: { version: string; homepage?: string } = manifest
  for (const path of ['/', '/privacy']) {
    const [footer = ''] = /<footer.*<\/footer>/s.exec(await (await get(path)).text()) ?? []
    const links = Array.from(footer.matchAll(/href="([^"]+)"/g)).map(([, href]) => href)
    const source = homepage === undefined ? [] : [homepage]
    assert.deepEqual(links, ['/report', '/privacy', ...source, '?lang=de'], path)
    assert.ok(footer.includes(`quirl ${version}<`), path)
  }
})

/** Bytes of a file as it is sent to a browser, at the quality of pages or of assets. */
function sizeSent(content: Buffer, isAsset: boolean): number {
  const quality = isAsset ? constants.BROTLI_MAX_QUALITY : 4
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }).length
}

const bytesOf = async (path: string) => Buffer.from(await (await get(path)).arrayBuffer())

/** Bytes of a page with its stylesheet and its scripts, as they are sent. */
async function weightOf(path: string): Promise<{ bytes: number; scripts: number }> {
  const page = await bytesOf(path)
  const text = page.toString()
  const scripts = Array.from(text.matchAll(/<script type="module" src="([^"]+)"/g)).map(([, src = '']) => src)
  const styles = Array.from(text.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)).map(([, href = '']) => href)
  let bytes = sizeSent(page, false)
  for (const asset of [...scripts, ...styles]) bytes += sizeSent(await bytesOf(asset), true)
  return { bytes, scripts: scripts.length }
}

const KIB = 1024

test('pages stay within their budgets, as sent', async () => {
  const link = await create(server, { target: 'https://example.com/menu' })
  const owner = `/m/${link.token}`
  const budgets: [string, number][] = [
    ['/', 28 * KIB],
    [owner, 36 * KIB],
  ]
  for (const [path, budget] of budgets) {
    const { bytes } = await weightOf(path)
    assert.ok(bytes <= budget, `${path} has ${bytes} bytes of ${budget}`)
  }
  const designer = /data-script="([^"]+)"/.exec(await (await get(owner)).text())?.[1] ?? ''
  const designerBytes = sizeSent(await bytesOf(designer), true)
  assert.ok(designerBytes <= 32 * KIB, `the designer has ${designerBytes} bytes`)
  for (const [name, { content }] of Object.entries(stylesheets)) {
    const sizes = { brotli: sizeSent(content, true), gzip: gzipSync(content, { level: 9 }).length }
    for (const [encoding, bytes] of Object.entries(sizes))
      assert.ok(bytes <= 8 * KIB, `the stylesheet ${name} has ${bytes} bytes as ${encoding}`)
  }
})

test('a visitor’s page has at most 10 KiB and no script', async () => {
  const kinds = [
    { kind: 'vcard', firstName: 'Ada', lastName: 'Lovelace', phone: '+44 20 7946 0000', email: 'ada@example.com' },
    {
      kind: 'page',
      headline: 'Müller’s Bakery',
      description: 'Open daily from 7 to 18.',
      links: Array.from({ length: 10 }, (_, at) => ({ label: `Button ${at}`, url: `https://example.com/${at}` })),
    },
  ]
  const codes = await Promise.all(kinds.map(async (body) => (await create(server, body)).code))
  for (const path of [...codes.map((code) => `/${code}`), `/${codes[0]}+`, '/nothing-here']) {
    const { bytes, scripts } = await weightOf(path)
    assert.equal(scripts, 0, path)
    assert.ok(bytes <= 10 * KIB, `${path} has ${bytes} bytes`)
  }
})
