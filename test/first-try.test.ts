import assert from 'node:assert/strict'
import type { NetworkInterfaceInfo } from 'node:os'
import { test } from 'node:test'
import { ask } from './support/http.ts'
import { startServer, type Created, type TestServer } from './support/server.ts'

// The program without any settings, opened on the same machine or on a phone.

const OWN = '192.168.1.50'
const machine = {
  networkInterfaces: () => ({ wlan0: [OWN, '2001:db8::50'].map((address) => ({ address }) as NetworkInterfaceInfo) }),
  hostname: () => 'bakery-pc',
}

const call = ({ url }: TestServer, host: string, path: string, body?: object) =>
  ask(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { host, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })

test('each URL in responses has the host of the request, if that is this machine', async (t) => {
  const server = await startServer(t, { HOST: '127.0.0.1' }, undefined, { machine })
  const { port } = new URL(server.url)
  for (const [host, origin] of [
    [`${OWN}:3000`, `http://${OWN}:3000`],
    ['[2001:db8::50]:3000', 'http://[2001:db8::50]:3000'],
    ['bakery-pc.local', 'http://bakery-pc.local'],
    ['localhost:8080', 'http://localhost:8080'],
    ['evil.example:3000', `http://localhost:${port}`],
  ] as const) {
    const made = JSON.parse(
      (await call(server, host, '/api/links', { target: 'https://example.com/' })).body,
    ) as Created
    const { code, token } = made
    assert.deepEqual(
      [made.short_url, made.qr_png, made.qr_svg, made.manage_url],
      [`${origin}/${code}`, `${origin}/${code}/qr.png`, `${origin}/${code}/qr.svg`, `${origin}/m/${token}`],
    )
    const details = JSON.parse((await call(server, host, `/api/manage/${token}`)).body) as Created
    assert.equal(details.short_url, made.short_url)
    const image = (await call(server, host, `/${code}/qr.svg`)).body
    const drawn = await call(server, host, `/api/qr?format=svg&data=${encodeURIComponent(`${origin}/${code}?qr=1`)}`)
    assert.equal(image, drawn.body, host)
    const page = (await call(server, host, `/m/${token}?created`)).body
    assert.ok(page.includes(`${origin}/m/${token}`) && page.includes(`alt="QR code of ${origin}/${code}"`), host)
    const openapi = JSON.parse((await call(server, host, '/api/openapi.json')).body) as { servers: { url: string }[] }
    assert.equal(openapi.servers[0]?.url, origin)
  }
})

test('pages warn if visitors cannot reach the address of a code', async (t) => {
  const warned = async (server: TestServer, host: string) => {
    const { token } = JSON.parse(
      (await call(server, host, '/api/links', { target: 'https://example.com/' })).body,
    ) as Created
    const pages = [
      await call(server, host, '/'),
      await call(server, host, `/m/${token}?created`),
      await call(server, host, `/m/${token}`),
    ]
    const found = pages.map(
      ({ body }) =>
        /<strong>These codes work ([^<]+)\.<\/strong>[^]*?Do not print them yet[^]*?BASE_URL/.exec(body)?.[1],
    )
    assert.equal(new Set(found).size, 1, 'each page says the same')
    for (const { body } of pages.slice(1)) {
      assert.ok(
        found[0] === undefined || body.indexOf('Do not print them yet') < body.indexOf('class="qr"'),
        'above the image',
      )
    }
    return found[0]
  }
  const unset = await startServer(t, {}, undefined, { machine })
  assert.equal(await warned(unset, 'localhost:3000'), 'on this machine only')
  assert.equal(await warned(unset, 'go.bakery.shop'), 'on this machine only')
  assert.equal(await warned(unset, `${OWN}:3000`), 'in this network only')
  assert.equal(await warned(unset, 'bakery-pc:3000'), 'in this network only')
  for (const [base, audience] of [
    ['http://localhost:3000', 'on this machine only'],
    ['http://10.0.0.7', 'in this network only'],
    ['http://qr.lan', 'in this network only'],
    ['https://go.bakery.shop', undefined],
  ] as const) {
    assert.equal(await warned(await startServer(t, { BASE_URL: base }, undefined, { machine }), OWN), audience, base)
  }
})

test('the page of a refused form warns as well', async (t) => {
  const server = await startServer(t, {}, undefined, { machine })
  const refused = await ask(`${server.url}/`, {
    method: 'POST',
    headers: { host: `${OWN}:3000`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'kind=url&target=x',
  })
  assert.equal(refused.status, 400)
  assert.match(refused.body, /Do not print them yet/)
})
