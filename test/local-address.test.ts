import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { ask, type RawAnswer } from './support/http.ts'
import { create, post, startServer, type Created, type TestServer } from './support/server.ts'

// What the service says of URLs that it hands out, and that others cannot reach.

const EXAMPLE = 'https://example.com/menu'
const FOREIGN = 'go.bakery.shop'

interface Warned {
  short_url: string
  warnings?: { code: string; detail: string }[]
  results?: Warned[]
}

const bodyOf = ({ body }: RawAnswer) => JSON.parse(body) as Warned
const codesOf = ({ warnings }: Warned) => warnings?.map(({ code }) => code)

/** Sends JSON by way of a host. */
function send(
  server: Pick<TestServer, 'url'>,
  path: string,
  body: unknown,
  host = FOREIGN,
  more = {},
): Promise<RawAnswer> {
  const headers = { host, 'content-type': 'application/json', ...more }
  return ask(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

const get = (server: Pick<TestServer, 'url'>, path: string, host = FOREIGN) =>
  ask(server.url + path, { headers: { host } })

function assertWarned(answer: RawAnswer, what: string, isWarned = true): void {
  assert.ok(answer.status < 400, `${what}: ${answer.status} ${answer.body}`)
  assert.equal(answer.headers['quirl-warning'], isWarned ? 'local_address' : undefined, what)
}

/** The machine has an address on a network, as a phone there uses it. */
const machine = {
  networkInterfaces: () => ({ eth0: [{ address: '192.168.1.50' }] }) as never,
  hostname: () => 'bakery-pc',
}

const startUnset = (t: TestContext, env = {}) => startServer(t, env, Date.now, { machine })

describe('without BASE_URL, under a host that is not of this machine', () => {
  test('each answer with a URL of the service has a warning that says what to do, and its header', async (t) => {
    const server = await startUnset(t)
    const created = await send(server, '/api/links', { target: EXAMPLE })
    assertWarned(created, 'a creation')
    const { short_url, warnings } = bodyOf(created)
    assert.match(short_url, /^http:\/\/localhost:\d+\//)
    assert.deepEqual(warnings, [
      {
        code: 'local_address',
        detail: `others cannot reach ${new URL(short_url).origin}, nor scan its QR codes: set BASE_URL to the public address of the service`,
      },
    ])
    const { token } = JSON.parse(created.body) as Created
    const manage = `/api/manage/${token}`
    for (const [what, answer] of [
      ['the details', await get(server, manage)],
      ['a share', await send(server, `${manage}/share`, {})],
      ['a revert', await send(server, `${manage}/revert`, { revision: 1 })],
      ['a rotation', await send(server, `${manage}/rotate`, {})],
    ] as const) {
      assertWarned(answer, what)
      assert.deepEqual(codesOf(bodyOf(answer)), ['local_address'], what)
    }
    const stats = await get(server, `${manage}/stats`)
    assertWarned(stats, 'statistics, which have no URL', false)
    assert.deepEqual(codesOf(bodyOf(stats)), undefined)
  })

  test('by the row in bulk and in changes of many links; a row without a URL has none', async (t) => {
    const server = await startUnset(t)
    const answer = await send(server, '/api/bulk', [{ target: EXAMPLE }, { target: 'x' }])
    assertWarned(answer, 'bulk')
    const { warnings, results = [] } = bodyOf(answer)
    assert.equal(warnings, undefined)
    assert.deepEqual(results.map(codesOf), [['local_address'], undefined])
    const { token } = await create(server, { target: EXAMPLE })
    const changed = await send(server, '/api/manage', { changes: [{ token, title: 'x' }] })
    assertWarned(changed, 'changes')
    assert.deepEqual(bodyOf(changed).results?.map(codesOf), [['local_address']])
    const checked = await send(server, '/api/bulk?dry_run=true', [{ target: EXAMPLE }])
    assertWarned(checked, 'a dry run, which hands nothing out', false)
  })

  test('tables, archives and images have the header, whatever encodes the URL', async (t) => {
    const server = await startUnset(t, { CONTACT: 'abuse@bakery.shop' })
    const { token } = await create(server, { target: EXAMPLE, alias: 'menu' })
    for (const query of ['format=csv', 'qr=zip'])
      assertWarned(await send(server, `/api/bulk?${query}`, [{ target: EXAMPLE }]), query)
    for (const path of [
      '/menu/qr.png',
      '/menu/qr.svg',
      '/menu/qr.pdf',
      '/.well-known/security.txt',
      `/api/manage/${token}/bundle`,
      '/api/openapi.json',
    ])
      assertWarned(await get(server, path), path)
    const image = await get(server, '/menu/qr.svg')
    const again = await ask(`${server.url}/menu/qr.svg`, {
      headers: { host: FOREIGN, 'if-none-match': image.headers.etag },
    })
    assert.deepEqual([again.status, again.headers['quirl-warning']], [304, 'local_address'])
    assertWarned(await get(server, '/api/qr?data=x'), 'an image of other data', false)
    assertWarned(await get(server, `/api/manage/${token}/scans.csv`), 'scans, which have no URL', false)
    assert.equal((await get(server, '/menu')).headers['quirl-warning'], undefined)
  })

  test('the log says it once, with the host', async (t) => {
    const server = await startUnset(t)
    await create(server, { target: EXAMPLE })
    assert.equal(server.logged.length, 0)
    for (const host of [FOREIGN, 'other.example.com', FOREIGN])
      await send(server, '/api/links', { target: EXAMPLE }, host)
    assert.equal(server.logged.length, 1)
    const [line] = server.logged
    assert.equal(line?.['host'], FOREIGN)
    assert.match(String(line?.['msg']), /^BASE_URL is unset, .* set BASE_URL to the public address$/)
  })
})

test('a URL of loopback is warned of wherever it comes from, and one that others can reach is not', async (t) => {
  const unset = await startUnset(t)
  const { port } = new URL(unset.url)
  for (const [host, isWarned] of [
    [`localhost:${port}`, true],
    [`127.0.0.1:${port}`, true],
    [`192.168.1.50:${port}`, false],
    [`bakery-pc.local:${port}`, false],
  ] as const) {
    const answer = await send(unset, '/api/links', { target: EXAMPLE }, host)
    assertWarned(answer, host, isWarned)
    assert.equal(codesOf(bodyOf(answer)) !== undefined, isWarned, host)
  }
  const local = await startServer(t, { BASE_URL: 'http://localhost:3000' })
  assertWarned(await send(local, '/api/links', { target: EXAMPLE }), 'BASE_URL of loopback')
  const configured = await startServer(t, { BASE_URL: 'https://go.bakery.shop' })
  assertWarned(await send(configured, '/api/links', { target: EXAMPLE }, 'localhost'), 'a public BASE_URL', false)
  assert.deepEqual(configured.logged, [])
})

test('the response to a retry is warned of by its own URLs, not by the host of the retry', async (t) => {
  const server = await startUnset(t)
  const { port } = new URL(server.url)
  const key = { 'idempotency-key': 'local-address-0123' }
  const body = { target: EXAMPLE }
  const first = await send(server, '/api/links', body, FOREIGN, key)
  const again = await send(server, '/api/links', body, `192.168.1.50:${port}`, key)
  assert.deepEqual(bodyOf(again), bodyOf(first))
  assertWarned(again, 'a retry')
  const other = { 'idempotency-key': 'local-address-4567' }
  const reachable = await send(server, '/api/links', body, `192.168.1.50:${port}`, other)
  const retried = await send(server, '/api/links', body, FOREIGN, other)
  assert.deepEqual(bodyOf(retried), bodyOf(reachable))
  assertWarned(retried, 'a retry by way of a foreign host', false)
})

test('text of a client that looks like a URL of this machine is not warned of', async (t) => {
  const server = await startServer(t, { BASE_URL: 'https://go.bakery.shop' })
  const answer = await post(`${server.url}/api/links`, { target: EXAMPLE, title: 'http://localhost/' })
  assert.equal(answer.headers.get('quirl-warning'), null)
})
