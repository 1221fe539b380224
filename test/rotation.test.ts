import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from './support/cleanup.ts'
import { examplesOf } from './support/guide.ts'
import { requireProgram } from './support/programs.ts'
import { create, post, put, startServer, visit } from './support/server.ts'

const START = Date.UTC(2026, 10, 21, 9, 30)
const HOUR = 3_600_000
const KEY = { 'idempotency-key': 'a-random-key-of-16-or-more' }
const EXAMPLE = { target: 'https://example.com/menu', alias: 'menu' }

interface Rotated {
  token: string
  manage_url: string
}

/** A service with a link, and a clock that the test sets. */
async function startWithLink(t: TestContext, env: Record<string, string> = {}) {
  const clock = { now: START }
  const server = await startServer(t, env, () => clock.now)
  const { token } = await create(server, EXAMPLE)
  const at = (each: string) => `${server.url}/api/manage/${each}`
  return {
    ...server,
    clock,
    token,
    at,
    rotate: (from: string, headers = {}) => fetch(`${at(from)}/rotate`, { method: 'POST', headers }),
    /** The statuses of reading the link with each token. */
    read: async (...tokens: string[]) => {
      const statuses = []
      for (const each of tokens) statuses.push((await fetch(at(each))).status)
      return statuses
    },
  }
}

async function rotated(response: Promise<Response>): Promise<string> {
  const { status, headers } = await response
  const body = (await (await response).json()) as Rotated
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.deepEqual(Object.keys(body), ['token', 'manage_url', 'warnings'])
  assert.ok(body.manage_url.endsWith(`/m/${body.token}`))
  return body.token
}

const problemOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]

/** Every request of an owner; each is the first use of a new token. */
const uses: Record<string, (url: string, token: string) => Promise<Response>> = {
  'reads the details': (url, token) => fetch(`${url}/api/manage/${token}`),
  'reads them by the header': (url, token) =>
    fetch(`${url}/api/manage`, { headers: { authorization: `Bearer ${token}` } }),
  'asks for their headers': (url, token) => fetch(`${url}/api/manage/${token}`, { method: 'HEAD' }),
  'changes the link': (url, token) => put(`${url}/api/manage/${token}`, { title: 'a' }),
  'changes it among many links': (url, token) =>
    post(`${url}/api/manage`, { changes: [{ token, title: 'a' }, { token: 'x'.repeat(43) }] }),
  'sends an invalid change': (url, token) => put(`${url}/api/manage/${token}`, { active: 1 }),
  'reads the history': (url, token) => fetch(`${url}/api/manage/${token}/history`),
  'reverts to a revision': (url, token) => post(`${url}/api/manage/${token}/revert`, { revision: 1 }),
  'reads statistics': (url, token) => fetch(`${url}/api/manage/${token}/stats`),
  'exports scans': (url, token) => fetch(`${url}/api/manage/${token}/scans.csv`),
  'follows the totals': (url, token) => fetch(`${url}/api/manage/${token}/stream`),
  'opens the page': (url, token) => fetch(`${url}/m/${token}`),
  'sends a form': (url, token) =>
    fetch(`${url}/m/${token}`, {
      method: 'POST',
      body: new URLSearchParams({ action: 'pause' }),
      redirect: 'manual',
    }),
  'rotates it again': (url, token) => fetch(`${url}/api/manage/${token}/rotate`, { method: 'POST' }),
}

for (const [what, send] of Object.entries(uses)) {
  test(`a new token is the only one from the moment its owner ${what}`, async (t) => {
    const { url, token, rotate, read } = await startWithLink(t)
    const next = await rotated(rotate(token))
    assert.deepEqual(await read(token), [200])
    const response = await send(url, next)
    await response.body?.cancel()
    assert.ok(response.status < 404, `${response.status}`)
    assert.deepEqual(await read(token, next, token), [404, 200, 404])
  })
}

test('a change of many links takes each of two tokens of a rotation, until the new one was used', async (t) => {
  const { clock, url, token, rotate } = await startWithLink(t)
  const next = await rotated(rotate(token))
  const change = async (title: string, each: string) => {
    const response = await post(`${url}/api/manage`, { changes: [{ token: each, title }] })
    return [response.status, ((await response.json()) as { changed: number }).changed]
  }
  assert.deepEqual(await change('a', token), [200, 1])
  assert.deepEqual(await change('b', next), [200, 1])
  assert.deepEqual(await change('c', token), [400, 0])
  await rotated(rotate(next))
  clock.now += HOUR
  assert.deepEqual(await change('d', next), [400, 0], 'nor after its hour')
})

test('a link can be deleted with either token', async (t) => {
  const { url, token, at, rotate, read } = await startWithLink(t)
  const next = await rotated(rotate(token))
  assert.equal((await fetch(at(next), { method: 'DELETE' })).status, 200)
  assert.deepEqual(await read(token, next), [404, 404])
  const other = await create({ url }, { target: 'https://example.com/' })
  const unused = await rotated(rotate(other.token))
  assert.equal((await fetch(at(other.token), { method: 'DELETE' })).status, 200)
  assert.deepEqual(await read(other.token, unused), [404, 404])
})

test('an hour later the new token is the only one, also after a restart', async (t) => {
  const dataDir = temporaryFolder(t)
  const { clock, token, rotate, stop } = await startWithLink(t, { DATA_DIR: dataDir })
  const next = await rotated(rotate(token))
  await stop()
  clock.now += HOUR - 1
  const { url } = await startServer(t, { DATA_DIR: dataDir }, () => clock.now)
  const statusOf = async (each: string) => (await fetch(`${url}/api/manage/${each}`)).status
  assert.equal(await statusOf(token), 200)
  clock.now += 1
  assert.equal(await statusOf(token), 404)
  assert.equal(await statusOf(next), 200)
})

test('a rotation of the old token voids a new one that was not used', async (t) => {
  const { clock, token, rotate, read } = await startWithLink(t)
  const first = await rotated(rotate(token))
  clock.now += HOUR / 2
  const second = await rotated(rotate(token))
  assert.deepEqual(await read(first), [404])
  clock.now += HOUR - 1
  assert.deepEqual(await read(token), [200], 'its hour begins anew')
  assert.deepEqual(await read(second, token), [200, 404])
})

test('a retry with the same Idempotency-Key gets the same token, with the old one or the new one, for a day', async (t) => {
  const { clock, url, token, rotate, read } = await startWithLink(t)
  const next = await rotated(rotate(token, KEY))
  assert.equal(await rotated(rotate(token, KEY)), next)
  const headers = { ...KEY, authorization: `Bearer ${token}` }
  assert.equal(await rotated(fetch(`${url}/api/manage/rotate`, { method: 'POST', headers })), next, 'by the header too')
  clock.now += 2 * HOUR
  assert.deepEqual(await read(token), [404])
  assert.equal(await rotated(rotate(token, KEY)), next, 'though the old token no longer works')
  assert.equal(await rotated(rotate(next, KEY)), next)
  assert.equal(await rotated(rotate(token, KEY)), next)
  assert.deepEqual(await read(next), [200])

  const other = await create({ url }, { target: 'https://example.com/' })
  assert.deepEqual(await problemOf(await rotate(other.token, KEY)), [422, 'idempotency_key_reused'])
  assert.deepEqual(await problemOf(await post(`${url}/api/links`, { target: 'https://example.com/' }, KEY)), [
    422,
    'idempotency_key_reused',
  ])
  clock.now += 24 * HOUR
  assert.deepEqual(await problemOf(await rotate(token, KEY)), [404, 'unknown_token'])
})

test('only a hash of the new token is stored', async (t) => {
  const { token, rotate, services } = await startWithLink(t)
  const next = await rotated(rotate(token, KEY))
  const { read } = services.db
  const rows = [
    await read.selectFrom('links').selectAll().execute(),
    await read.selectFrom('idempotency_keys').selectAll().execute(),
  ]
  assert.doesNotMatch(JSON.stringify(rows), new RegExp(`${next}|${KEY['idempotency-key']}`))
})

test('a rotation is no change of the link: its details, visits and history stay', async (t) => {
  const { url, token, at, rotate } = await startWithLink(t)
  const details = async (each: string) => {
    const response = await fetch(at(each))
    const { manage_url: address, ...rest } = (await response.json()) as Record<string, unknown>
    assert.equal(address, `${url}/m/${each}`)
    return { rest, tag: response.headers.get('etag') }
  }
  await put(at(token), { title: 'a' })
  const history = async (each: string) => (await fetch(`${at(each)}/history`)).json()
  const before = [await details(token), await history(token)]
  const next = await rotated(rotate(token))
  assert.deepEqual([await details(next), await history(next)], before)
  assert.equal((await visit(`${url}/menu`)).headers.get('location'), EXAMPLE.target)
})

test('the token of a link that was removed for abuse can be replaced', async (t) => {
  const { services, token, rotate, read } = await startWithLink(t)
  await services.abuse.operations['block']?.({ subject: 'menu' })
  const next = await rotated(rotate(token))
  assert.deepEqual(await read(next, token), [200, 404])
})

test('unknown tokens are refused, and charged as such, with and without a key', async (t) => {
  const { url, token, rotate, read } = await startWithLink(t, { LIMIT_MISSES: '4' })
  const wrong = 'x'.repeat(43)
  assert.deepEqual(await problemOf(await rotate(wrong)), [404, 'unknown_token'])
  assert.deepEqual(await problemOf(await rotate(wrong, KEY)), [404, 'unknown_token'])
  assert.deepEqual(await problemOf(await rotate('short', KEY)), [404, 'unknown_token'])
  assert.deepEqual(await problemOf(await post(`${url}/api/manage/rotate`, {})), [404, 'unknown_token'])
  assert.deepEqual(await problemOf(await rotate(wrong, KEY)), [429, 'rate_limited'])
  assert.deepEqual(await read(token), [200])
})

test('an invalid Idempotency-Key rotates nothing', async (t) => {
  const { token, rotate, read } = await startWithLink(t)
  const next = await rotated(rotate(token))
  for (const key of ['short', 'x'.repeat(256)])
    assert.deepEqual(await problemOf(await rotate(token, { 'idempotency-key': key })), [400, 'invalid_request'])
  assert.deepEqual(await read(next), [200])
})

test('a rotation with a key counts as a creation, which stores as much; a retry and one without a key do not', async (t) => {
  const { token, rotate } = await startWithLink(t, { LIMIT_LINKS: '2' })
  const next = await rotated(rotate(token, KEY))
  assert.equal(await rotated(rotate(token, KEY)), next)
  const other = { 'idempotency-key': 'another-key-of-16-or-more' }
  assert.deepEqual(await problemOf(await rotate(token, other)), [429, 'rate_limited'])
  assert.equal(await rotated(rotate(next, KEY)), next, 'a retry is free')
  await rotated(rotate(next))
})

test('the example of the guide', async (t) => {
  if (!requireProgram(t, 'curl', 'curl')) return
  const { url, token, read } = await startWithLink(t)
  const { run, shown } = examplesOf('Rotate the token')
  const answer = (await run(0, { url, token })) as Rotated
  assert.deepEqual(
    shown.map((each) => Object.keys(each as object)),
    [Object.keys(answer)],
  )
  assert.deepEqual(await read(answer.token, token), [200, 404])
})
